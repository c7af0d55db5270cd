//! Parts, as A2A has them: a text, bytes, a link or data, with a file name, a media type and metadata. Bytes become an
//! artifact before anything else is done with a part; what is small and readable stays in place.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use baton_core::{ArtifactHash, ArtifactName, ArtifactRef, MediaType, NetworkId, Refusal, limits};
use baton_evidence::canonical;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::upload;
use crate::hub::{Hub, Identity};
use crate::service::Error;

/// A part as it is given: exactly one of `text`, `raw`, `url`, `data` and `sha256`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Part)]
pub struct PartArgs {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Bytes, as base64
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Any JSON
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// An artifact that was uploaded with `PUT /api/artifacts`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(default, alias = "mediaType", skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// Data may be null, and is there anyway.
fn given<'de, D: serde::Deserializer<'de>>(json: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(json).map(Some)
}

/// A part, checked.
#[derive(Debug, Clone)]
pub struct Part {
    pub content: Content,
    pub name: Option<ArtifactName>,
    pub media_type: Option<MediaType>,
    pub metadata: Option<Map<String, Value>>,
}

/// What a part holds.
#[derive(Debug, Clone)]
pub enum Content {
    Text(String),
    Raw(Bytes),
    Url(String),
    Data(Value),
    Artifact(ArtifactHash),
}

/// Checks a part; the error names the member that breaks a rule.
pub fn read(args: PartArgs) -> Result<Part, Refusal> {
    let PartArgs { text, raw, url, data, sha256, filename, media_type, metadata } = args;
    let raw = raw.map(|raw| decode(&raw).map(Content::Raw)).transpose()?;
    let artifact = sha256.map(|text| {
        let hash = ArtifactHash::parse(&text);
        hash.map(Content::Artifact)
            .ok_or_else(|| Refusal::invalid("sha256", "must be 64 lower-case hex digits"))
    });
    let contents =
        [text.map(Content::Text), raw, url.map(Content::Url), data.map(Content::Data), artifact.transpose()?];
    let mut contents = contents.into_iter().flatten();
    let (Some(content), None) = (contents.next(), contents.next()) else {
        return Err(Refusal::invalid("content", "must be exactly one of text, raw, url, data and sha256"));
    };
    let name = filename.filter(|name| !name.is_empty());
    let media_type = media_type.filter(|media_type| !media_type.is_empty());
    Ok(Part {
        content,
        name: name.map(|name| ArtifactName::parse("filename", &name)).transpose()?,
        media_type: media_type.map(|text| MediaType::parse("media_type", &text)).transpose()?,
        metadata,
    })
}

/// Base64, in either alphabet and with or without its end, as ProtoJSON reads it.
fn decode(text: &str) -> Result<Bytes, Refusal> {
    let padded =
        || format!("{}{}", text.trim_end_matches('='), &"=="[..padding(text.trim_end_matches('=').len())]);
    let decoded = STANDARD.decode(padded()).or_else(|_| URL_SAFE.decode(padded()));
    decoded.map(Bytes::from).map_err(|_| Refusal::invalid("raw", "must be base64"))
}

const fn padding(digits: usize) -> usize {
    match digits % 4 {
        2 => 2,
        3 => 1,
        _ => 0,
    }
}

impl Part {
    /// The media type, if none is given: that of the uploaded artifact.
    fn default_media_type(&self) -> MediaType {
        let plain = match self.content {
            Content::Text(_) => "text/plain",
            Content::Url(_) => "text/uri-list",
            Content::Data(_) => "application/json",
            Content::Raw(_) | Content::Artifact(_) => return MediaType::default(),
        };
        MediaType::parse("media_type", plain).unwrap_or_default()
    }

    /// The bytes that its digest is made of; none where they are an artifact already.
    fn bytes(&self) -> Result<Option<Bytes>, Error> {
        Ok(Some(match &self.content {
            Content::Text(text) | Content::Url(text) => Bytes::copy_from_slice(text.as_bytes()),
            Content::Raw(bytes) => bytes.clone(),
            Content::Data(data) => canonical::to_vec(data)
                .map_err(|error| {
                    Error::argument("data", format!("cannot be written as canonical JSON: {error}"))
                })?
                .into(),
            Content::Artifact(_) => return Ok(None),
        }))
    }

    /// Makes an artifact of its bytes, unless it is one. For a message's part: its agent receives a file.
    pub async fn upload(&self, hub: &Hub, who: &Identity, network: &NetworkId) -> Result<ArtifactRef, Error> {
        let hash = match (&self.content, self.bytes()?) {
            (Content::Artifact(hash), _) => *hash,
            (_, bytes) => {
                let (name, media_type) = (self.name.clone(), self.media_type.clone());
                let media_type = media_type.unwrap_or_else(|| self.default_media_type());
                let bytes = bytes.unwrap_or_default();
                upload::bytes(hub, who, network, name.unwrap_or_default(), media_type, bytes).await?
            }
        };
        let media_type = match &self.content {
            Content::Artifact(_) => self.media_type.clone(),
            _ => Some(self.media_type.clone().unwrap_or_else(|| self.default_media_type())),
        };
        Ok(ArtifactRef { hash, name: self.name.clone(), media_type, description: None })
    }

    /// What stays in place of a part that is not an artifact, with the digest and the size of its bytes.
    pub fn inline(&self) -> Result<Option<Inline>, Error> {
        let json = match &self.content {
            Content::Text(text) => json!({ "text": text }),
            Content::Url(url) => json!({ "url": url }),
            Content::Data(data) => json!({ "data": data }),
            Content::Raw(_) | Content::Artifact(_) => return Ok(None),
        };
        let bytes = self.bytes()?.unwrap_or_default();
        Ok(Some(Inline {
            json: json.to_string(),
            hash: ArtifactHash::new(Sha256::digest(&bytes).into()),
            size: bytes.len() as u64,
            media_type: self.media_type.clone().unwrap_or_else(|| self.default_media_type()),
        }))
    }
}

/// A part that stands in its reference.
#[derive(Debug, Clone)]
pub struct Inline {
    pub json: String,
    pub hash: ArtifactHash,
    pub size: u64,
    pub media_type: MediaType,
}

/// The parts of a call, checked; `field` is where they stand.
pub fn read_all(field: &str, parts: Vec<PartArgs>) -> Result<Vec<Part>, Error> {
    if parts.is_empty() || parts.len() > limits::PARTS_MAX_COUNT {
        return Err(Error::argument(
            field.to_owned(),
            format!("must be 1 to {} parts", limits::PARTS_MAX_COUNT),
        ));
    }
    let in_place = |(at, args): (usize, PartArgs)| {
        read(args).map_err(|refusal| match refusal {
            Refusal::InvalidInput { field: member, rule } => {
                Error::argument(format!("{field}[{at}].{member}"), rule)
            }
            other => other.into(),
        })
    };
    parts.into_iter().enumerate().map(in_place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(json: Value) -> Result<Part, Refusal> {
        read(serde_json::from_value(json).unwrap())
    }

    #[test]
    fn a_part_holds_one_thing() {
        for one in [json!({"text": ""}), json!({"raw": "aGk"}), json!({"url": "x"}), json!({"data": null})] {
            assert!(part(one.clone()).is_ok(), "{one}");
        }
        for wrong in [json!({}), json!({"text": "a", "url": "b"}), json!({"text": "a", "data": null})] {
            assert!(part(wrong.clone()).is_err(), "{wrong}");
        }
        assert!(serde_json::from_value::<PartArgs>(json!({"text": "a", "kind": "text"})).is_err());
    }

    #[test]
    fn bytes_are_base64_in_either_alphabet() {
        for (text, bytes) in
            [("aGk=", &b"hi"[..]), ("aGk", b"hi"), ("+/8=", b"\xfb\xff"), ("-_8", b"\xfb\xff"), ("", b"")]
        {
            let Content::Raw(read) = part(json!({"raw": text})).unwrap().content else { panic!("{text}") };
            assert_eq!(&read[..], bytes, "{text}");
        }
        assert!(part(json!({"raw": "a"})).is_err());
        assert!(part(json!({"raw": "%%%%"})).is_err());
    }

    #[test]
    fn a_name_that_is_a_path_and_a_media_type_that_is_none_are_refused() {
        for name in ["../x", "a/b", "a\u{202e}b", "a\0b"] {
            let refused = part(json!({"text": "a", "filename": name})).unwrap_err().message();
            assert!(refused.contains("filename"), "{refused}");
        }
        assert!(part(json!({"text": "a", "mediaType": "plain"})).is_err());
    }

    #[test]
    fn what_stays_in_place_is_digested_by_its_bytes_and_data_by_its_canonical_form() {
        let text = part(json!({"text": "abc"})).unwrap().inline().unwrap().unwrap();
        assert_eq!(text.hash.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            (text.size, text.media_type.as_str(), &*text.json),
            (3, "text/plain", r#"{"text":"abc"}"#)
        );
        let [first, second] = [json!({"data": {"b": 1, "a": 2}}), json!({"data": {"a": 2, "b": 1}})]
            .map(|data| part(data).unwrap().inline().unwrap().unwrap().hash);
        assert_eq!(first, second);
        assert!(part(json!({"raw": "aGk="})).unwrap().inline().unwrap().is_none());
    }
}
