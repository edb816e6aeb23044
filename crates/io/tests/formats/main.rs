//! Animated meshes: every format gives back what it was given, and refuses what is no such file.

mod convert;
mod damage;
mod describe;
mod export;
mod foreign;
mod options;
mod round_trip;
mod sample;
