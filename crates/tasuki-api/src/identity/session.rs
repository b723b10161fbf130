//! Sessions of people.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Secret;
use crate::serde_format::instant;

/// A sign-in: either a name with its password, or the code of a sign-in link.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// The name of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// `true` if the session lasts 30 days on this device, also without use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remember: bool,
    /// The code of the link that the server printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Secret>,
}

impl SignInRequest {
    /// Creates a sign-in with a password.
    pub fn with_password(name: impl Into<String>, password: impl Into<String>) -> Self {
        let (name, password) = (Some(name.into()), Some(Secret(password.into())));
        Self { name, password, ..Self::default() }
    }

    /// Creates a sign-in with the code of a link.
    pub fn with_code(code: impl Into<String>) -> Self {
        Self { code: Some(Secret(code.into())), ..Self::default() }
    }
}

/// A session of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// The name of the person.
    pub person: String,
    /// The time at which the session expires.
    #[serde(serialize_with = "instant")]
    pub expires_at: Timestamp,
}

#[cfg(feature = "schema")]
mod schema {
    //! The two forms of a sign-in.

    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::SignInRequest;
    use crate::Secret;

    #[derive(JsonSchema)]
    #[schemars(inline, deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct ByPassword {
        /// The name of the person.
        name: String,
        /// The password.
        password: Secret,
        /// `true` if the session lasts 30 days on this device, also without use. Otherwise it
        /// ends after 12 hours without use.
        #[serde(default)]
        remember: bool,
    }

    #[derive(JsonSchema)]
    #[schemars(inline, deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct ByCode {
        /// The code of the link that the server printed.
        code: Secret,
    }

    impl JsonSchema for SignInRequest {
        fn schema_name() -> Cow<'static, str> {
            "SignInRequest".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description":
                    "A sign-in: either a name with its password, or the code of a sign-in link.",
                "oneOf": [
                    generator.subschema_for::<ByPassword>(),
                    generator.subschema_for::<ByCode>(),
                ],
            })
        }
    }
}
