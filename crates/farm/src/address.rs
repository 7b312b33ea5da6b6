//! Where a farm is, and who may enter: `nats://host:4222/name`, with a user and a password, a file of credentials or TLS.

use crate::FarmFailure;
use async_nats::{ConnectOptions, ServerAddr};
use std::path::PathBuf;
use zermelo_game::outside::path;

/// A farm's server, its name there, and the credentials for it.
#[derive(Clone, Debug)]
pub struct Address {
    server: ServerAddr,
    /// The server without user and password, for people.
    shown: String,
    name: String,
    credentials: Option<PathBuf>,
    authority: Option<PathBuf>,
}

impl Address {
    /// Reads `nats://[user:password@]host[:port][/name]`, or `tls://` where the server is to be reached by TLS alone.
    /// `credentials` is a file as `nsc` makes them, `authority` a certificate in PEM that the server's is signed with.
    pub fn parse(
        text: &str,
        credentials: Option<PathBuf>,
        authority: Option<PathBuf>,
    ) -> Result<Address, FarmFailure> {
        let wrong = |why: String| {
            let right =
                "such as nats://127.0.0.1:4222 or tls://user:password@example.org:4222/name";
            FarmFailure::Address(format!(
                "'{text}' is no address of a farm ({why}); one is {right}"
            ))
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("no scheme".into()))?;
        if !matches!(scheme, "nats" | "tls") {
            return Err(wrong(format!("the scheme is {scheme}")));
        }
        let (server, name) = rest.split_once('/').unwrap_or((rest, ""));
        let name = if name.is_empty() { "farm" } else { name };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !name.chars().all(plain) {
            return Err(wrong(format!(
                "the name {name} has other signs than letters, digits, - and _"
            )));
        }
        let server: ServerAddr =
            format!("{scheme}://{server}").parse().map_err(|e| wrong(format!("{e}")))?;
        let shown = format!("{scheme}://{}:{}/{name}", server.host(), server.port());
        Ok(Address { server, shown, name: name.to_owned(), credentials, authority })
    }

    /// The farm's name on its server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For people, without secrets.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// A loud word, if anybody on the way could read or send jobs.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let host = self.server.host();
        let near = host == "localhost" || host == "::1" || host.starts_with("127.");
        let known = self.server.has_user_pass() || self.credentials.is_some();
        let hidden = self.server.tls_required() || self.authority.is_some();
        let lack = match (known, hidden) {
            _ if near => return None,
            (true, true) => return None,
            (false, true) => {
                "without credentials: anybody may send outcomes, and a lie is found only by an audit"
            }
            (true, false) => "without TLS: anybody on the way reads the credentials",
            (false, false) => {
                "without credentials and without TLS: anybody may read jobs and send outcomes"
            }
        };
        Some(format!("the farm at {} is open to the world, {lack}", self.shown))
    }

    pub(crate) fn server(&self) -> ServerAddr {
        self.server.clone()
    }

    pub(crate) async fn options(&self) -> Result<ConnectOptions, FarmFailure> {
        let mut options = ConnectOptions::new().name("zermelo");
        if let (Some(user), Some(password)) = (self.server.username(), self.server.password()) {
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        if let Some(file) = &self.credentials {
            options = options.credentials_file(file).await.map_err(|e| {
                FarmFailure::Address(format!("{} has no credentials: {e}", path(file)))
            })?;
        }
        if let Some(file) = &self.authority {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        Ok(options.require_tls(self.server.tls_required() || self.authority.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, FarmFailure> {
        Address::parse(text, None, None)
    }

    #[test]
    fn addresses() {
        let farm = parse("nats://127.0.0.1:4222/six-by-six").unwrap();
        assert_eq!((farm.name(), farm.warning()), ("six-by-six", None));
        let farm = parse("tls://me:secret@example.org").unwrap();
        assert_eq!((farm.name(), farm.shown()), ("farm", "tls://example.org:4222/farm"));
        assert_eq!(farm.warning(), None);
        for (text, word) in [
            ("nats://example.org", "without credentials and without TLS"),
            ("tls://example.org", "without credentials:"),
            ("nats://a:b@example.org", "without TLS:"),
        ] {
            let warning = parse(text).unwrap().warning().unwrap();
            assert!(warning.contains(word), "{warning}");
            assert!(!warning.contains("a:b"), "{warning}");
        }
        for text in ["example.org", "http://example.org", "nats://h/a.b", "nats://:x:y"] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("such as"), "{error}");
        }
    }
}
