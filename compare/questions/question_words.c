/* What things are called. */
#include "compare/questions/question_internal.h"

#include <ctype.h>
#include <string.h>

/* Its class, if no other thing has it; else "". */
static const char *unique_class(const pov_scene *scene, pov_id id)
{
    for (pov_id other = 0; other < scene->len; other++)
        if (other != id && strcmp(scene->entities[other].class_name, scene->entities[id].class_name) == 0)
            return "";
    return scene->entities[id].class_name;
}

/* English for any thing: "the wooden box". Who is called by a name has no article. */
static pov_noun english_noun(pov_questions *q, pov_id id)
{
    const pov_entity *entity = &q->scene->entities[id];
    const char *class_name = unique_class(q->scene, id), *called = *class_name ? class_name : entity->name;
    bool is_person = !*class_name && (entity->addressee || entity->can_see);
    char *the = pov_questions_text(q, "%s%s", is_person ? "" : "the ", called);
    for (char *c = the; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    const char *bare = is_person || !*the ? the : the + strlen("the ");
    return (pov_noun){entity->name, {the, pov_questions_text(q, "%s's", the), bare}};
}

bool pov_questions_is_english(const pov_language *language)
{
    while (language && language->base)
        language = language->base;
    return !language || strcmp(language->code, "en") == 0;
}

void pov_questions_find_nouns(pov_questions *q, const pov_language *language)
{
    for (pov_id id = 0; id < q->scene->len; id++) {
        const pov_noun *noun =
            language ? pov_language_noun(language, q->scene->entities[id].name, unique_class(q->scene, id))
                     : NULL;
        q->nouns[id] = noun                                 ? *noun
                       : pov_questions_is_english(language) ? english_noun(q, id)
                                                            : (pov_noun){0};
    }
}

const pov_noun *pov_questions_noun(pov_questions *q, pov_id id)
{
    const pov_entity *entity = &q->scene->entities[id];
    if (!q->nouns[id].id)
        pov_questions_complain(q, "%s has no word for \"%s\" (class \"%s\"); give one in a file of languages",
                               q->asking->language->name, entity->name, entity->class_name);
    return q->nouns[id].id ? &q->nouns[id] : NULL;
}

const char *pov_questions_the(const pov_questions *q, pov_id id)
{
    return q->nouns[id].words[0];
}

const char *pov_questions_whose(const pov_questions *q, pov_id id)
{
    return q->nouns[id].words[1];
}

const char *pov_questions_bare(const pov_questions *q, pov_id id)
{
    return q->nouns[id].words[2];
}

const char *pov_questions_a(pov_questions *q, pov_id id)
{
    const char *bare = pov_questions_bare(q, id);
    bool has_article = strcmp(bare, pov_questions_the(q, id)) != 0;
    return pov_questions_text(q, "%s%s",
                              !has_article                           ? ""
                              : *bare && strchr("aeiouAEIOU", *bare) ? "An "
                                                                     : "A ",
                              bare);
}

const char *pov_questions_capital(pov_questions *q, const char *text)
{
    char *capital = pov_questions_text(q, "%s", text);
    *capital = (char)toupper((unsigned char)*capital);
    return capital;
}

const char *pov_questions_class(pov_questions *q, pov_id id)
{
    const pov_entity *entity = &q->scene->entities[id];
    char *text = pov_questions_text(q, "%s", *entity->class_name ? entity->class_name : entity->name);
    for (char *c = text; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return text;
}

static bool ends_in(const char *word, const char *ending)
{
    size_t len = strlen(word), ending_len = strlen(ending);
    return len >= ending_len && strcmp(word + len - ending_len, ending) == 0;
}

/* The rules of English, and the irregular nouns that rooms, streets and farms are full of. */
const char *pov_questions_plural(pov_questions *q, const char *noun)
{
    static const struct {
        const char *ending, *plural;
    } rules[] = {{"person", "people"}, {"woman", "women"}, {"man", "men"},      {"child", "children"},
                 {"sheep", "sheep"},   {"deer", "deer"},   {"fish", "fish"},    {"mouse", "mice"},
                 {"goose", "geese"},   {"foot", "feet"},   {"knife", "knives"}, {"shelf", "shelves"},
                 {"leaf", "leaves"},   {"ay", "ays"},      {"ey", "eys"},       {"oy", "oys"},
                 {"y", "ies"},         {"s", "ses"},       {"x", "xes"},        {"ch", "ches"},
                 {"sh", "shes"},       {"", "s"}};
    size_t i = 0;
    while (!ends_in(noun, rules[i].ending))
        i++;
    return pov_questions_text(q, "%.*s%s", (int)(strlen(noun) - strlen(rules[i].ending)), noun,
                              rules[i].plural);
}

/* -------- what is not there -------- */

static bool is_human(const char *word)
{
    return strstr(word, "man") || strstr(word, "person") || strstr(word, "human") || strstr(word, "girl") ||
           strstr(word, "boy");
}

/* Whether a thing so called may be in the scene under another name: a basketball is a ball, a woman a person. */
static bool may_be(const char *noun, const char *thing)
{
    return *thing && (strstr(noun, thing) || strstr(thing, noun) || (is_human(noun) && is_human(thing)));
}

static bool is_absent(const pov_scene *scene, const char *noun)
{
    for (pov_id id = 0; id < scene->len; id++)
        if (may_be(noun, scene->entities[id].name) || may_be(noun, scene->entities[id].class_name))
            return false;
    return true;
}

int pov_questions_absent(const pov_questions *q, const pov_noun *absent[POV_LANGUAGE_NOUNS_MAX])
{
    const pov_noun *noun;
    int len = 0;
    for (int i = 0; q->asking->language && len < POV_LANGUAGE_NOUNS_MAX &&
                    (noun = pov_language_noun_at(q->asking->language, i));
         i++)
        if (is_absent(q->scene, noun->id))
            absent[len++] = noun;
    return len;
}
