//! Where pictures go: films, GIFs and PNG files, written while the next picture is drawn.

use crate::error::RunError;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use toile_view::Image;
use toile_view::film::{Film, Gif};

/// Pictures that may wait to be written.
const QUEUE: usize = 2;

/// What the pictures become.
enum Target {
    Film(Box<Film>),
    Gif(Gif),
    /// A file a picture.
    Numbered {
        name: Numbered,
        next: u64,
    },
    /// The last picture.
    Still {
        path: PathBuf,
        last: Option<Image>,
    },
}

impl Target {
    /// The name says what it is to be.
    fn create(path: &Path, size: [usize; 2], fps: f64, first: u64) -> Result<Self, RunError> {
        let ending = path.extension().unwrap_or_default();
        let is = |ending_asked: &str| ending.eq_ignore_ascii_case(ending_asked);
        let [width, height] = size;
        if is("mp4") {
            let film = Film::create(path, width, height, fps);
            Ok(Self::Film(Box::new(film.map_err(RunError::picture)?)))
        } else if is("gif") {
            let gif = Gif::create(path, width, height, fps);
            Ok(Self::Gif(gif.map_err(RunError::picture)?))
        } else if is("png") {
            Ok(match Numbered::parse(path) {
                Some(name) => Self::Numbered { name, next: first },
                None => Self::Still {
                    path: path.to_owned(),
                    last: None,
                },
            })
        } else {
            Err(RunError::input(format!(
                "{}: expected a name that ends in .mp4, .gif or .png",
                path.display()
            )))
        }
    }

    fn push(&mut self, image: Image) -> Result<(), RunError> {
        match self {
            Self::Film(film) => film.push(&image).map_err(RunError::picture),
            Self::Gif(gif) => gif.push(&image).map_err(RunError::picture),
            Self::Numbered { name, next } => {
                image
                    .write_png(name.file(*next))
                    .map_err(RunError::picture)?;
                *next += 1;
                Ok(())
            }
            Self::Still { last, .. } => {
                *last = Some(image);
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<(), RunError> {
        match self {
            Self::Film(film) => film.finish().map(drop).map_err(RunError::picture),
            Self::Gif(gif) => gif.finish().map(drop).map_err(RunError::picture),
            Self::Numbered { .. } => Ok(()),
            Self::Still { path, last } => match last {
                Some(image) => image.write_png(path).map_err(RunError::picture),
                None => Ok(()),
            },
        }
    }
}

/// Whether only the last picture of several is kept under this name.
pub fn is_still(path: &Path) -> bool {
    let png = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("png"));
    png && Numbered::parse(path).is_none()
}

/// A name with a place for a number: `%d`, or `%04d` for at least four digits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbered {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl Numbered {
    fn parse(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (before, rest) = name.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let digits = match digits {
            "" => 1,
            digits => digits.parse().ok().filter(|n| (1..=12).contains(n))?,
        };
        Some(Self {
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            before: before.to_owned(),
            digits,
            after: after.to_owned(),
        })
    }

    fn file(&self, number: u64) -> PathBuf {
        let (before, after, digits) = (&self.before, &self.after, self.digits);
        self.folder
            .join(format!("{before}{number:0digits$}{after}"))
    }
}

/// A thread that writes pictures.
pub struct Recorder {
    sender: SyncSender<Image>,
    thread: JoinHandle<Result<(), RunError>>,
}

impl Recorder {
    /// Begins the file `path`, whose name says what it becomes. Numbered files count from `first`.
    pub fn create(path: &Path, size: [usize; 2], fps: f64, first: u64) -> Result<Self, RunError> {
        let mut target = Target::create(path, size, fps, first)?;
        let (sender, receiver) = sync_channel::<Image>(QUEUE);
        let thread = std::thread::spawn(move || {
            for image in receiver {
                target.push(image)?;
            }
            target.finish()
        });
        Ok(Self { sender, thread })
    }

    /// Hands over a picture; false if no more are wanted, and `finish` knows why.
    pub fn push(&self, image: Image) -> bool {
        self.sender.send(image).is_ok()
    }

    /// Waits until everything is on disk.
    pub fn finish(self) -> Result<(), RunError> {
        drop(self.sender);
        let ended = self.thread.join();
        ended.unwrap_or_else(|_| Err(RunError::output("the pictures could not be written")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_place_asked_for() {
        let name = Numbered::parse(Path::new("out/a_%04d.png")).unwrap();
        assert_eq!(name.file(7), Path::new("out/a_0007.png"));
        assert_eq!(name.file(12_345), Path::new("out/a_12345.png"));
        let plain = Numbered::parse(Path::new("%d.png")).unwrap();
        assert_eq!(plain.file(7), Path::new("7.png"));
        for odd in ["a.png", "100%.png", "%xd.png", "%99d.png"] {
            assert_eq!(Numbered::parse(Path::new(odd)), None, "{odd}");
        }
    }
}
