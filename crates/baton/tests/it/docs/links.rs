//! Every page and picture a page links to is there.

use super::page::files;

#[test]
fn everything_the_pages_link_to_is_there() {
    let mut looked_at = 0;
    for page in files() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            if !link.contains("://") && !file.is_empty() {
                assert!(page.with_file_name(file).exists(), "{} links to {link}", page.display());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 30, "{looked_at}");
}
