//! How ids, names and words look on the wire, as schemas of an API's description. Only with the feature `schemas`.

use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

use crate::{
    ActorToken, Alias, ArtifactHash, ArtifactName, ArtifactSource, ContextId, Kind, LeaseId, MediaType,
    MessageId, MessageKind, NetworkId, NetworkRole, PrincipalKind, Priority, Status, SystemRole, TaskId,
    TokenId, TokenScope, UserId, Username,
};

macro_rules! described {
    ($($name:ident: $object:expr, $description:literal;)+) => {
        $(
            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    $object.description(Some($description)).into()
                }
            }

            impl ToSchema for $name {}
        )+
    };
}

fn text(pattern: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern))
}

fn uuid() -> ObjectBuilder {
    let format = SchemaFormat::Custom("uuid".into());
    ObjectBuilder::new().schema_type(Type::String).format(Some(format))
}

fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words))
}

fn of<T: Copy + 'static>(
    all: &'static [T],
    as_str: fn(T) -> &'static str,
) -> impl Iterator<Item = &'static str> {
    all.iter().map(move |word| as_str(*word))
}

described! {
    UserId: text("^u_[0-9a-f]{12}$"), "A user";
    NetworkId: text("^net_[0-9a-f]{12}$"), "A network";
    TokenId: text("^tok_[0-9a-f]{12}$"), "A token, not its secret";
    ActorToken: text("^tk_[0-9a-f]{16}$"), "How history and evidence name the token that acted";
    LeaseId: text("^lease_[0-9a-f]{32}$"), "One worker's hold on one task";
    Kind: text("^[a-z0-9._-]{1,64}$"), "What sort of work a task is";
    ArtifactHash: text("^[0-9a-f]{64}$"), "The SHA-256 of an artifact's bytes, by which it is called";
    ArtifactName: text(r"^.{1,255}$"), "The name of an artifact: at most 255 bytes, and no path";
    MediaType: text("^[ -~]{3,255}$"), "What sort of bytes an artifact has";
    ArtifactSource: words(of(ArtifactSource::ALL, ArtifactSource::as_str)), "What a reference to an artifact came with";
    TaskId: uuid(), "A task";
    MessageId: uuid(), "A delivery; a task's first has the task's id";
    ContextId: uuid(), "A conversation: the id of the task that began it";
    Alias: text(r"^.{1,200}$"), "The name an agent has in its network: letters, digits, `_`, `.` and `-`";
    Username: text(r"^.{2,50}$"), "The name a user has on the hub";
    Status: words(of(Status::ALL, Status::as_str)), "The status of a task";
    MessageKind: words(of(MessageKind::ALL, MessageKind::as_str)), "What a message is to its task's conversation";
    Priority: words(of(Priority::ALL, Priority::as_str)), "How urgent a delivery is";
    NetworkRole: words(of(NetworkRole::ALL, NetworkRole::as_str)), "What a user is in a network";
    SystemRole: words(of(SystemRole::ALL, SystemRole::as_str)), "What a user is on the hub";
    TokenScope: words(of(TokenScope::ALL, TokenScope::as_str)), "How far a node token reaches";
    PrincipalKind: words(of(PrincipalKind::ALL, PrincipalKind::as_str)), "Whether an actor is a user or an agent";
}
