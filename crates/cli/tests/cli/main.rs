//! The program as its users meet it: the real binary, in folders of its own.

mod bad_input;
mod bodies;
mod body;
mod check;
mod check_sequences;
mod contact;

mod convert;
mod dump;
mod fabrics;
mod formats;
mod interrupt;
mod level_sets;
mod lists;
mod program;
mod render;
mod reproducible;
mod run;
