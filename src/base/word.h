// Words that were probably meant by mistyped ones.
#ifndef BASE_WORD_H
#define BASE_WORD_H

// The candidate nearest to a word, upper and lower case alike, or the one that it begins; null if none is near enough
// to be a slip of the pen. Candidates may be null.
const char *word_nearest(const char *word, const char *const *candidates, int count);

#endif
