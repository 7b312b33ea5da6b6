"""Mutants of an honest certificate: its answers, claims, starts and blocks are changed, and lengths and digests made right again."""

from __future__ import annotations

import copy
import random
import zlib

from torture.certificate import Block, Certificate, envelope, leb128, read


def mutate(rng: random.Random, data: bytes, positions: list[str]) -> bytes:
    """A mutant; `positions` are texts of other positions of the game."""
    file = read(data)
    if rng.random() < 0.08:
        return damage(rng, data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        rng.choice([answers, answers, answers, answers, claims, header, starts, blocks, streams])(rng, file, positions)
    if not file.claims:
        return damage(rng, data)
    return file.to_bytes()


def any_block(rng: random.Random, file: Certificate) -> Block:
    blocks = [block for claim in file.claims for block in claim.blocks]
    return rng.choice(blocks) if blocks else Block([], [])


def answers(rng: random.Random, file: Certificate, _: list[str]) -> None:
    """Another move, one that is missing, one too many."""
    list_of = any_block(rng, file).answers
    at = rng.randrange(len(list_of)) if list_of else 0
    kind = rng.randrange(9)
    if kind < 3 and list_of:
        list_of[at] = rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 200, 2_000_000, max(0, list_of[at] - 1), list_of[at] + 1])
    elif kind == 3 and list_of:
        del list_of[at]
    elif kind == 4:
        list_of.insert(at, rng.choice([0, 1, 2, 3, 4]))
    elif kind == 5 and list_of:
        other = rng.randrange(len(list_of))
        list_of[at], list_of[other] = list_of[other], list_of[at]
    elif kind == 6:
        del list_of[at:]
    elif kind == 7 and list_of:
        list_of[at] = 1
        file.search = rng.choice([0, 1, 2, 3, 5, 10, 100, 65_536, 65_537, -1])
    else:
        list_of.extend(rng.choice([0, 1, 2, 3]) for _ in range(rng.choice([1, 5, 1000])))


def claims(rng: random.Random, file: Certificate, _: list[str]) -> None:
    if not file.claims:
        return
    claim = rng.choice(file.claims)
    kind = rng.randrange(6)
    if kind == 0:
        claim.value += rng.choice([1, -1, 2, -2])
    elif kind == 1:
        claim.claimant = "second" if claim.claimant == "first" else "first"
    elif kind == 2:
        claim.claimant = "second" if claim.claimant == "first" else "first"
        claim.value = -claim.value
    elif kind == 3:
        file.claims.remove(claim)
    elif kind == 4:
        file.claims.append(copy.deepcopy(claim))
        file.claims[-1].claimant = rng.choice(["first", "second", "third", ""])
        file.claims[-1].value += rng.choice([0, 1, -1])
    else:
        file.claims.reverse()


def header(rng: random.Random, file: Certificate, positions: list[str]) -> None:
    kind = rng.randrange(7)
    if kind == 0 and positions:
        file.position = rng.choice(positions)
        for claim in file.claims:
            if claim.blocks and claim.blocks[0].starts and rng.random() < 0.8:
                claim.blocks[0].starts[0] = file.position
    elif kind == 1:
        file.position = file.position.replace("first", "#").replace("second", "first").replace("#", "second")
        for claim in file.claims:
            if claim.blocks and claim.blocks[0].starts:
                claim.blocks[0].starts[0] = file.position
    elif kind == 2:
        file.game = rng.choice(
            [file.game + " misere", file.game.replace("3x", "4x"), file.game + " ", file.game.upper()]
        )
    elif kind == 3 and file.game.startswith("graph"):
        words = file.game.split("; ")
        at = rng.randrange(len(words))
        word = words[at]
        if word.startswith("repetition") or " = " in word:
            words[at] = " ".join([*word.split(" ")[:-1], str(rng.choice([-1, 0, 1]))])
        elif len(word.split(" ")) > 3:
            words[at] = " ".join(word.split(" ")[:-1])
        file.game = "; ".join(words)
    elif kind == 4:
        file.fields["rules"] = rng.choice([0, 2, 1])
    elif kind == 5:
        file.fields[rng.choice(["search", "version", "made", "database", "note"])] = rng.choice([0, None, {}, [], "x"])
    else:
        file.search = rng.choice([0, 1, 64, 65_536, 65_537, 1 << 40, -1])


def starts(rng: random.Random, file: Certificate, positions: list[str]) -> None:
    block = any_block(rng, file)
    kind = rng.randrange(4)
    some = rng.choice(positions) if positions else "../.. first"
    if kind == 0:
        block.starts.insert(rng.randrange(len(block.starts) + 1), some)
    elif kind == 1 and block.starts:
        block.starts.pop()
    elif kind == 2:
        block.starts += block.starts
    elif block.starts:
        block.starts[-1] = some


def blocks(rng: random.Random, file: Certificate, positions: list[str]) -> None:
    """A block cut in two; one twice; a new one that answers what another has put off."""
    if not file.claims:
        return
    claim = rng.choice(file.claims)
    if not claim.blocks:
        return
    block = rng.choice(claim.blocks)
    kind = rng.randrange(4)
    if kind == 0:
        at = rng.randrange(len(block.answers) + 1)
        starts = rng.sample(positions, min(len(positions), rng.randint(1, 3)))
        claim.blocks.append(Block(starts, block.answers[at:]))
        del block.answers[at:]
        block.answers.append(0)
    elif kind == 1:
        claim.blocks.append(copy.deepcopy(block))
    elif kind == 2 and block.answers:
        block.answers[rng.randrange(len(block.answers))] = 0
        claim.blocks.append(copy.deepcopy(block))
    else:
        claim.blocks.remove(block)


def streams(rng: random.Random, file: Certificate, _: list[str]) -> None:
    """The same answers in another stream, or one that is no such stream; fields that do not fit it."""
    block = any_block(rng, file)
    plain = leb128(block.answers)
    kind = rng.randrange(10)
    if kind == 0:
        block.packed = zlib.compress(plain, 0)
    elif kind == 1:
        block.packed = zlib.compress(plain) + rng.randbytes(rng.choice([1, 4]))
    elif kind == 2:
        block.packed = zlib.compress(plain)[: -rng.randint(1, 6)]
    elif kind == 3:
        block.packed = zlib.compress(plain + bytes(rng.choice([1, 1000, 1 << 20])))
    elif kind == 4:
        raw = zlib.compressobj(wbits=-15)
        block.packed = raw.compress(plain) + raw.flush()
    elif kind == 5:
        preset = zlib.compressobj(zdict=b"zermelo")
        block.packed = preset.compress(plain) + preset.flush()
    elif kind == 6:
        block.packed = zlib.compress(plain) + zlib.compress(b"\x02")
    elif kind == 7:
        # Numbers in more bytes than they need: three are allowed, four are not.
        longer = rng.choice([2, 3, 4])
        plain = b"".join(
            bytes([n & 127 | 128] + [128] * (longer - 2) + [0]) if n < 128 else leb128([n]) for n in block.answers
        )
        block.packed = zlib.compress(plain)
        block.fields["size"] = len(plain)
    elif kind == 8:
        packed = bytearray(zlib.compress(plain))
        packed[rng.randrange(len(packed))] ^= 1 << rng.randrange(8)
        block.packed = bytes(packed)
    else:
        name = rng.choice(["positions", "size", "bytes"])
        block.fields[name] = rng.choice([0, 1, -1, len(plain) + 1, 1 << 31, 1 << 62, 1 << 63, 1 << 64])


def damage(rng: random.Random, data: bytes) -> bytes:
    """The file as a whole: cut, longer, another version, one bit."""
    kind = rng.randrange(6)
    if kind == 0:
        return data[: rng.randrange(len(data))]
    if kind == 1:
        return data + rng.randbytes(rng.choice([1, 100]))
    if kind == 2:
        length = int.from_bytes(data[12:16], "little")
        return envelope(data[48 : 48 + length], data[48 + length :], rng.choice([0, 1, 3, 1 << 31]))
    if kind == 3:
        return data[:12] + rng.choice([0, 1, 1 << 31, (1 << 32) - 1]).to_bytes(4, "little") + data[16:]
    if kind == 4:
        return data.replace(b'"sha256":"', b'"sha256":"0', 1)
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
