use serde::de::IgnoredAny;

use super::*;

/// What this machine can compare with, from what each of its kind can to the most.
fn levels() -> Vec<Level> {
    let best = Level::new();
    #[cfg(target_arch = "x86_64")]
    {
        let all = [
            best.as_sse2().map(Level::Sse2),
            best.as_sse4_2().map(Level::Sse4_2),
            best.as_avx2().map(Level::Avx2),
            best.as_avx512().map(Level::Avx512),
        ];
        all.into_iter().flatten().collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    vec![best]
}

/// The same as [`end`], at every level.
fn every(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    let found = end(bytes, at);
    for level in levels() {
        assert_eq!(end_by(level, bytes, at), found, "{level:?} {at} {bytes:?}");
    }
    found
}

/// The same as [`end`], byte by byte.
fn byte_by_byte(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some((at, !bytes[from..at].contains(&b'\\'))),
            0..0x20 => return None,
            b'\\' => {
                at += 1;
                match bytes.get(at)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        let digits = bytes.get(at + 1..at + 5)?;
                        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                    }
                    _ => return None,
                }
            }
            _ => {}
        }
        at += 1;
    }
}

#[test]
fn texts_end_where_json_says() {
    let escapes = [
        r"\n",
        r"\\",
        r#"\""#,
        r"\u001b",
        r"\ud800",
        r"\/",
        r"\b",
        r"\u12g4",
        r"\x",
        "\u{1}",
        "\t",
        "",
        "é",
        r"\\\\\\\",
        r"\\\\\\\\",
    ];
    for escape in escapes {
        for before in 0..140 {
            for after in [0, 1, 15, 64] {
                let text = ["x".repeat(before), escape.into(), "n".repeat(after)].concat();
                let tail = format!("{text}\" , \\ \"");
                let json = format!("\"{text}\"");
                let whole = serde_json::from_str::<IgnoredAny>(&json).is_ok();
                let want = whole.then_some((text.len(), !text.contains('\\')));
                // A row of backslashes may escape the quote: then another one ends the text.
                let odd = escape == r"\\\\\\\" && after == 0;
                let found = every(tail.as_bytes(), 0);
                assert_eq!(found, want.filter(|_| !odd), "{tail}");
                assert_eq!(every(text.as_bytes(), 0), None, "{text}");
            }
        }
    }
}

#[test]
fn any_bytes_end_where_they_do_byte_by_byte() {
    let mut random = fastrand::Rng::with_seed(20_261_201);
    let (mut ended, mut plain) = (0, 0);
    for round in 0..12_000 {
        // Some have hardly any end, some hardly any fault, some nothing but backslashes.
        let (quotes, faults, backslashes) = (random.u8(..40), random.u8(..4), random.u8(..200));
        let mut bytes = Vec::new();
        let length = random.usize(..300);
        while bytes.len() < length {
            let (chance, any) = (random.u8(..), random.u8(0x20..));
            match chance {
                0 if quotes > 0 => bytes.push(b'"'),
                1 if faults == 0 => bytes.push(any & 0x3f),
                2 if faults == 1 => bytes.extend([b'\\', any]),
                3 if faults == 2 => bytes.extend(*b"\\u00g0"),
                4 => bytes.extend(*b"\\uD83d"),
                _ if chance.wrapping_sub(5) < quotes / 8 => bytes.push(b'"'),
                _ if chance >= 255 - backslashes / 4 * 3 => {
                    let letter = b"nnnt\"\\\\rbf/"[random.usize(..11)];
                    bytes.extend([b'\\', letter]);
                }
                _ if matches!(any, b'"' | b'\\') => bytes.push(b'u'),
                _ => bytes.push(any),
            }
        }
        let at = random.usize(..=bytes.len());
        for at in [0, at] {
            let found = every(&bytes, at);
            assert_eq!(found, byte_by_byte(&bytes, at), "{round} {at} {bytes:?}");
            ended += u32::from(found.is_some());
            plain += u32::from(found.is_some_and(|(_, plain)| plain));
        }
    }
    // Both were seen, and neither always.
    assert!((4_000..20_000).contains(&ended), "{ended}");
    assert!((1_000..ended - 1_000).contains(&plain), "{plain} {ended}");
}

#[test]
fn plain_texts_are_soon_seen_to_end() {
    for length in 0..60 {
        for at in 0..length {
            for byte in 0..=255 {
                let mut bytes = vec![b'x'; length];
                bytes[at] = byte;
                bytes.extend([b'"'; 20]);
                let special = matches!(byte, b'"' | b'\\' | 0..0x20);
                let want = if special { at } else { length };
                assert_eq!(soon(&bytes, 0), want.min(48), "{bytes:?}");
                // Only whole lanes are looked at.
                let want = if want < length / 16 * 16 {
                    want
                } else {
                    length / 16 * 16
                };
                assert_eq!(soon(&bytes[..length], 0), want.min(48), "{bytes:?}");
            }
        }
    }
    assert_eq!(soon(b"", 1), 1);
}

#[test]
fn texts_are_the_same_in_every_byte() {
    for length in 0..40 {
        let one = vec![b'x'; length];
        assert!(same(&one, &one.clone()));
        assert!(!same(&one, &vec![b'x'; length + 1]));
        for other in 0..length {
            let mut two = one.clone();
            two[other] = b'y';
            assert!(!same(&one, &two));
        }
    }
}
