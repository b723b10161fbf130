//! Endpoints for operators: health and metrics.

pub(crate) mod health;
pub(crate) mod metrics;
