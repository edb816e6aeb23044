//! Reads damaged files of every kind until the time is up, and keeps every one that makes a reader panic.
//!
//! ```sh
//! cargo run --release -p toile-io --example fuzz_readers -- [MINUTES] [SEED] [FOLDER] [NAME]
//! cargo run --release -p toile-io --example fuzz_readers -- FIND
//! ```
//!
//! The second reads a find again, alone, and lets it say what is wrong.
//!
//! Good files are cut, changed, and put together from pieces of themselves; where a checksum would
//! hide the damage, it is made to fit again. With a NAME, only files whose name has it in it. What a reader
//! accepts must fit together and be usable; memory is limited to 4 GiB, so that taking it on a file's
//! word is fatal. The file being read is in the folder under its own name until it has been read: after an
//! abort it is the find. Needs nothing but the stable compiler.

mod mend;
mod readers;
mod seeds;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A good file and who reads it.
struct Seed {
    name: String,
    bytes: Vec<u8>,
    read: fn(&Path) -> bool,
    /// Makes checksums fit again, if the format has any.
    mend: fn(&mut [u8]),
}

/// Longest time that reading a small file may take, s; long enough for a busy machine.
const PATIENCE_S: f64 = 60.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(find) = arguments
        .first()
        .map(Path::new)
        .filter(|path| path.is_file())
    {
        return replay(find);
    }
    let number = |k: usize, usual: f64| match arguments.get(k).map(|a| a.parse()) {
        None => usual,
        Some(Ok(value)) => value,
        Some(Err(_)) => {
            eprintln!("usage: fuzz_readers [MINUTES] [SEED] [FOLDER] [NAME]");
            std::process::exit(2);
        }
    };
    let (minutes, seed) = (number(0, 1.0), number(1, 1.0) as u64);
    let folder = PathBuf::from(arguments.get(2).map_or("finds", String::as_str));
    fs::create_dir_all(&folder).expect("a folder for finds");
    let mut seeds = seeds::all();
    if let Some(name) = arguments.get(3) {
        seeds.retain(|seed| seed.name.contains(name));
    }
    limit_memory();
    // Panics are finds like any other; what they say comes with the find.
    std::panic::set_hook(Box::new(|_| {}));
    let clock = Instant::now();
    let mut random = Random(seed.max(1));
    let mut tallies = vec![[0_u64; 3]; seeds.len()];
    while clock.elapsed() < Duration::from_secs_f64(60.0 * minutes) {
        for (seed, tally) in seeds.iter().zip(&mut tallies) {
            let path = folder.join(&seed.name);
            let mut bytes = damaged(&seed.bytes, &mut random);
            (seed.mend)(&mut bytes);
            put(&path, &bytes);
            tally[0] += 1;
            let began = Instant::now();
            let read = catch_unwind(AssertUnwindSafe(|| (seed.read)(&path)));
            tally[1] += u64::from(*read.as_ref().unwrap_or(&false));
            if read.is_err() || began.elapsed().as_secs_f64() > PATIENCE_S {
                tally[2] += 1;
                let kept = folder.join(format!("find_{}_{}", tally[2], seed.name));
                fs::write(kept, &bytes).expect("room for a find");
            }
        }
    }
    println!("     cases    accepted   finds");
    for (seed, [cases, accepted, finds]) in seeds.iter().zip(&tallies) {
        fs::remove_file(folder.join(&seed.name)).ok();
        println!("{cases:10}  {accepted:10}  {finds:6}  {}", seed.name);
    }
    std::process::exit(i32::from(tallies.iter().any(|tally| tally[2] > 0)));
}

/// Reads a find again, in a folder of its own.
fn replay(find: &Path) {
    let name = find.file_name().unwrap_or_default().to_string_lossy();
    let mut seeds = seeds::all();
    seeds.retain(|seed| name.ends_with(&seed.name));
    for seed in seeds {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(&seed.name);
        put(&path, &fs::read(find).expect("the find"));
        limit_memory();
        let began = Instant::now();
        let accepted = (seed.read)(&path);
        println!(
            "accepted: {accepted}, {:.3} s",
            began.elapsed().as_secs_f64()
        );
    }
}

/// Writes a file anew: some file systems wait for the disk when one is overwritten.
fn put(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).ok();
    fs::write(path, bytes).expect("room for a file");
}

/// A file that is not quite the one given.
fn damaged(good: &[u8], random: &mut Random) -> Vec<u8> {
    const TEMPTING: [&[u8]; 10] = [
        &[0xff; 4],
        &[0xff, 0xff, 0xff, 0x7f],
        &[0, 0, 0xc0, 0x7f],
        &[0; 4],
        b"99999999",
        b"-1e999",
        b"[",
        b"}",
        b"\"",
        b"\n",
    ];
    let mut bytes = good.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            break;
        }
        // Half of the changes go where counts stand.
        let reach = match random.below(2) {
            0 => bytes.len(),
            _ => bytes.len().min(300),
        };
        let at = random.below(reach);
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            2 => {
                let change = TEMPTING[random.below(TEMPTING.len())];
                let end = (at + change.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&change[..end - at]);
            }
            3 => {
                let from = random.below(bytes.len());
                let length = random.below(24).min(bytes.len() - from.max(at));
                bytes.copy_within(from..from + length, at);
            }
            _ => match random.below(8) {
                0 => bytes.truncate(at),
                _ => drop(bytes.remove(at)),
            },
        }
    }
    bytes
}

/// No more address space than small files need.
fn limit_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = Rlimit {
            current: Some(4 << 30),
            maximum: getrlimit(Resource::As).maximum,
        };
        setrlimit(Resource::As, limit).expect("a limit of memory");
    }
}

/// A stream of numbers that is the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}
