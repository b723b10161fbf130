//! Decisions with codes that were mailed to people.

use tasuki_api::{MailCode, MailCodeRequest, MailDecisionRequest};

use super::{Operation, RequestBody, ResponseBody};

/// Shows what a mailed code decides.
pub static VIEW_MAIL_CODE: Operation = Operation::post(
    "view_mail_code",
    "/v1/mail-codes/view",
    "Show what a mailed code decides, without using it.",
)
.public()
.request(RequestBody::document::<MailCodeRequest>())
.response(ResponseBody::document::<MailCode>());

/// Decides with a mailed code.
pub static REDEEM_MAIL_CODE: Operation = Operation::post(
    "redeem_mail_code",
    "/v1/mail-codes/redeem",
    "Accept or reject with a mailed code, which works once. No session is created.",
)
.public()
.request(RequestBody::document::<MailDecisionRequest>())
.response(ResponseBody::document::<MailCode>());
