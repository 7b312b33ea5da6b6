"""The adversarial test of the command `zermelo`: see README.md."""
