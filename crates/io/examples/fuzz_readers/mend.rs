//! Checksums that fit damaged files, so that readers look at what is behind them.

use xxhash_rust::xxh3::xxh3_64;

/// For files without any.
pub fn nothing(_: &mut [u8]) {}

/// The last eight bytes of a checkpoint.
pub fn checkpoint(bytes: &mut [u8]) {
    if let Some(body) = bytes.len().checked_sub(8) {
        let (body, sum) = bytes.split_at_mut(body);
        sum.copy_from_slice(&xxh3_64(body).to_le_bytes());
    }
}

/// Every chunk of a PNG ends with the checksum of its name and data.
pub fn png(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let end = at.saturating_add(8).saturating_add(length);
        let Some(sum) = bytes.get(at + 4..end).map(crc32) else {
            return;
        };
        if let Some(place) = bytes.get_mut(end..end + 4) {
            place.copy_from_slice(&sum.to_be_bytes());
        }
        at = end + 4;
    }
}

/// Arrays of an archive are stored as they are: their checksums stand in local and central headers.
pub fn zip(bytes: &mut [u8]) {
    let word = |bytes: &[u8], at: usize| {
        let word = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize)
    };
    let half = |bytes: &[u8], at: usize| word(bytes, at).map(|word| word & 0xffff);
    for central in 0..bytes.len().saturating_sub(46) {
        if bytes[central..central + 4] != *b"PK\x01\x02" {
            continue;
        }
        let mended = (|| {
            let (local, size) = (word(bytes, central + 42)?, word(bytes, central + 20)?);
            let start =
                local.checked_add(30)? + half(bytes, local + 26)? + half(bytes, local + 28)?;
            let sum = crc32(bytes.get(start..start.checked_add(size)?)?).to_le_bytes();
            bytes.get_mut(local + 14..local + 18)?.copy_from_slice(&sum);
            bytes
                .get_mut(central + 16..central + 20)?
                .copy_from_slice(&sum);
            Some(())
        })();
        let _ = mended;
    }
}

/// The checksum of PNG and ZIP.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |sum: u32, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
    let byte = |sum: u32, byte: &u8| (0..8).fold(sum ^ u32::from(*byte), bit);
    !bytes.iter().fold(!0, byte)
}
