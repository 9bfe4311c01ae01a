//! Sentences for people are short.

/// Bytes of a status message.
pub(crate) const STATUS: usize = 4 << 10;

/// Cuts a text that has more bytes than that, and shows that it was cut.
pub(crate) fn shorten(text: &mut String, bytes: usize) {
    const CUT: char = '…';
    if text.len() > bytes {
        let most = bytes.saturating_sub(CUT.len_utf8());
        let end = (0..=most).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
        text.push(CUT);
    }
}
