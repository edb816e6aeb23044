//! Numbers as text.

use std::io::{self, Write};

/// Writes finite numbers with a separator between them, each with the fewest digits that read back
/// to the same bits.
pub(super) fn write<const N: usize>(
    w: &mut impl Write,
    numbers: [f32; N],
    separator: &str,
) -> io::Result<()> {
    let mut buffer = zmij::Buffer::new();
    for (i, number) in numbers.into_iter().enumerate() {
        if i > 0 {
            w.write_all(separator.as_bytes())?;
        }
        w.write_all(buffer.format_finite(number).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_read_back_to_the_same_bits(bits in any::<[u32; 3]>()) {
            let numbers = bits.map(f32::from_bits);
            prop_assume!(numbers.iter().all(|n| n.is_finite()));
            let mut text = Vec::new();
            write(&mut text, numbers, ", ").unwrap();
            let text = String::from_utf8(text).unwrap();
            let read: Vec<u32> = text
                .split(", ")
                .map(|word| word.parse::<f32>().unwrap().to_bits())
                .collect();
            prop_assert_eq!(read, numbers.map(f32::to_bits));
        }
    }
}
