//! Pretty-printed JSON: two spaces, members in their order.
//!
//! `canonical` writes the bytes that are hashed and signed.

use serde_json::Value;

use crate::Members;

/// Writes a packet as pretty-printed JSON.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::write;
///
/// let packet = json!({"goal": "Ship it", "completed": []});
/// let text = write::json(packet.as_object().unwrap());
/// assert_eq!(text, "{\n  \"goal\": \"Ship it\",\n  \"completed\": []\n}\n");
/// ```
pub fn json(members: &Members) -> String {
    format!("{:#}\n", Value::Object(members.clone()))
}
