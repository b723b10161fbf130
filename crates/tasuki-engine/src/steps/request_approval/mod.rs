//! A holder asks a person to approve an exact action, and withdraws the request.

mod request;
mod withdraw;

pub use request::{PreparedApprovalRequest, RequestApproval};
pub use withdraw::Withdraw;
