//! `/v1/project`: what an operator may set for the whole project.

use serde_json::{Map, Value, json};
use tasuki_engine::command::Command;
use tasuki_engine::directory::Settings;
use tasuki_packet::suggest::suggest;

use crate::answer::{Answered, Json};
use crate::body::Said;
use crate::problem::Problem;
use crate::visitor::Visitor;

pub(crate) async fn show(visitor: Visitor) -> Result<Json<Value>, Problem> {
    let (id, head) = (visitor.project(), visitor.engine().head(visitor.project()).await?);
    let projects = visitor.store().projects().await?;
    let name = projects.into_iter().find(|(_, known)| *known == id).map(|(name, _)| name);
    let settings = members(&visitor.directory().await?.settings);
    let halted = head.is_halted;
    Ok(Json(json!({ "project": name, "id": id, "halted": halted, "settings": settings })))
}

pub(crate) async fn set(
    visitor: Visitor,
    Said(said): Said<Map<String, Value>>,
) -> Result<Answered, Problem> {
    if said.is_empty() {
        return Err(
            Problem::argument("no setting is named").hint("`GET /v1/project` lists the settings")
        );
    }
    let mut members = members(&visitor.directory().await?.settings);
    for (key, value) in said {
        if !members.contains_key(&key) {
            return Err(unknown(&key, &members));
        }
        members.insert(key, value);
    }
    let settings: Settings = serde_json::from_value(Value::Object(members))
        .map_err(|error| Problem::argument(format!("that is no value for it: {error}")))?;
    visitor.run(Command::SetSettings(settings)).await
}

fn members(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn unknown(key: &str, members: &Map<String, Value>) -> Problem {
    let hint = match suggest(key, members.keys().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`GET /v1/project` lists the settings".to_owned(),
    };
    Problem::argument(format!("there is no setting `{key}`")).hint(hint)
}
