//! Validation of packets, and batches of requests.

mod batch;
mod validation;

pub use batch::{
    BatchItem, BatchItemResponse, BatchRequest, BatchResponse, PATH_CHARACTERS, REQUESTS_MAX,
};
pub use validation::ValidationReport;
