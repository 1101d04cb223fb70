// Lists of words such as `adams|bdf|rk4`.
#ifndef MODEL_OPTION_WORD_H
#define MODEL_OPTION_WORD_H

int option_word_count(const char *words);
int option_word_find(const char *words, const char *word);  // -1 when absent

#endif
