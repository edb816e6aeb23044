//! From laws of forces to vectors and matrices: families of links and elements.

pub mod elements;
pub mod family;
pub mod incidence;
pub mod lanes;
pub mod links;
