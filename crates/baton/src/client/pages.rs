//! Lists that come in pages, read to their end.

use reqwest::Method;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

use super::call::{Call, Repeat};
use super::{Client, Error, HubResponse, response};

/// What is read of a page to know whether there is another.
#[derive(Deserialize)]
struct Next {
    next_cursor: Option<String>,
}

/// An answer by its members, each as the hub wrote it.
type Members = BTreeMap<String, Box<RawValue>>;

impl Client {
    /// A list, all of it. Where it comes in several pages their rows stand in one answer, as if there were no pages.
    pub(super) async fn get_pages<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &(impl Serialize + ?Sized),
        list: &str,
    ) -> Result<HubResponse<T>, Error> {
        let first = self.page(path, query, None).await?;
        let Some(mut cursor) = self.next_of(&first)? else { return response::read(&self.hub, first) };
        let mut whole: Members = self.read_members(&first)?;
        let mut rows = self.rows_of(&whole, list)?;
        loop {
            let page = self.page(path, query, Some(&cursor)).await?;
            rows.extend(self.rows_of(&self.read_members(&page)?, list)?);
            match self.next_of(&page)? {
                Some(next) if next != cursor => cursor = next,
                Some(_) => {
                    return Err(Error::protocol(&self.hub, "a page of a list names itself as the next"));
                }
                None => break,
            }
        }
        whole.insert(list.to_owned(), self.raw(&rows)?);
        whole.insert("next_cursor".to_owned(), self.raw(&())?);
        response::read(&self.hub, self.raw(&whole)?.get().to_owned())
    }

    async fn page(
        &self,
        path: &[&str],
        query: &(impl Serialize + ?Sized),
        cursor: Option<&str>,
    ) -> Result<String, Error> {
        let mut call = Call::new(self, Method::GET, path).query(query).repeat(Repeat::Always);
        if let Some(cursor) = cursor {
            call = call.query(&[("cursor", cursor)]);
        }
        call.text().await
    }

    fn next_of(&self, page: &str) -> Result<Option<String>, Error> {
        let next: Next = serde_json::from_str(page).map_err(|error| self.misread(&error))?;
        Ok(next.next_cursor)
    }

    fn read_members(&self, page: &str) -> Result<Members, Error> {
        serde_json::from_str(page).map_err(|error| self.misread(&error))
    }

    fn rows_of(&self, members: &Members, list: &str) -> Result<Vec<Box<RawValue>>, Error> {
        let rows = members.get(list).map_or("[]", |rows| rows.get());
        serde_json::from_str(rows).map_err(|error| self.misread(&error))
    }

    fn raw(&self, value: &impl Serialize) -> Result<Box<RawValue>, Error> {
        serde_json::value::to_raw_value(value).map_err(|error| self.misread(&error))
    }

    fn misread(&self, error: &serde_json::Error) -> Error {
        Error::protocol(&self.hub, format!("its answer cannot be read ({error})"))
    }
}
