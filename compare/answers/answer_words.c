#include "compare/answers/answer_parse_internal.h"

#include <stddef.h>

static const char *const english_yes[] = {"yes",    "yeah",        "yep",        "true",         "correct",
                                          "indeed", "affirmative", "i think so", "i believe so", NULL};
static const char *const english_no[] = {
    "no",    "nope",           "false",         "incorrect",      "wrong",         "negative",
    "not",   "isn't",          "aren't",        "doesn't",        "don't",         "cannot",
    "can't", "absolutely not", "certainly not", "definitely not", "of course not", NULL};
const pov_yes_no_words POV_YES_NO_ENGLISH = {english_yes, english_no};

static const char *const token_yes[] = {"yes", NULL};
static const char *const token_no[] = {"no", NULL};
const pov_yes_no_words POV_YES_NO_ENGLISH_TOKENS = {token_yes, token_no};

/* Qwen, DeepSeek and most others; Kimi; Magistral; OpenThinker; gpt-oss, with its marks and where a server dropped them. */
const pov_thought_marks POV_THOUGHT_MARKS[] = {{"<think>", "</think>"},
                                               {"<thinking>", "</thinking>"},
                                               {"<thought>", "</thought>"},
                                               {"<reasoning>", "</reasoning>"},
                                               {"<scratchpad>", "</scratchpad>"},
                                               {"◁think▷", "◁/think▷"},
                                               {"[THINK]", "[/THINK]"},
                                               {"<|begin_of_thought|>", "<|end_of_thought|>"},
                                               {"<|channel|>analysis", "<|channel|>final<|message|>"},
                                               {NULL, "assistantfinal"},
                                               {NULL, NULL}};

const char *const POV_WORDS[POV_WORD_CLASSES] = {
    [POV_WORD_NOUN] =
        "answer|ans|conclusion|verdict|decision|solution|prediction|response|begin of box|"
        "begin of "
        "solution|amsa|பதில்|விடை|antwort|respuesta|réponse|答案|回答|答え|정답|답변|답|الإجابة|الجواب|"
        "उत्तर|ответ|cevap|yanıt|resposta|jibu|jawaban|câu trả lời|trả lời|đáp án|odpowiedź|antwoord|"
        "risposta|คำตอบ|תשובה|התשובה|উত্তর|відповідь|odpověď|vastaus|απάντηση|پاسخ|svar",
    [POV_WORD_CHOICE] = "option|choice|category|label|selection",
    [POV_WORD_TOTAL] = "total|count|number",
    [POV_WORD_VERB] =
        "is|was|would be|will be|must be|should be|has to be|could be|might be|may be|can be|"
        "seems to be|appears to be|becomes|remains|equals|ist|lautet|wäre|est|es|sería|è|é|seria|это|"
        "brzmi|jest|är|είναι|هي|هو|है|是|为|為|は",
    [POV_WORD_EXPLANATION] = "explanation|reason|reasoning|rationale|justification|confidence|note",
    [POV_WORD_CALLED] = "correct|best|right|final|my|appropriate|likely",
    [POV_WORD_OPEN] = "depends|cannot|can't|could not",
    [POV_WORD_ASIDE] = "to|for|of|here",
    [POV_WORD_BOXED] = "boxed",
    [POV_WORD_END] = "end",
    [POV_WORD_REFUSAL] =
        "not sure|not certain|not entirely sure|not completely sure|not totally sure|not fully sure|"
        "not quite sure|not really sure|not 100% sure|not entirely certain|not clear|"
        "not entirely clear|isn't clear|unclear|uncertain|ambiguous|indeterminate|undetermined|"
        "inconclusive|don't know|do not know|no idea|enough information|"
        "sufficient information|enough context|sufficient context|enough detail|enough details|"
        "enough data|insufficient|as an ai|not possess|no way to|hard to tell|hard to determine|"
        "hard to know|difficult to tell|difficult to determine|difficult to say|difficult to know|"
        "not determinable|undeterminable"
        /* Hausa, Tamil, German, Spanish, French */
        "|ba zan iya|ban sani ba|தெரியவில்லை|kann nicht|kann ich nicht|kann man nicht|nicht möglich|"
        "lässt sich nicht|unmöglich|unklar|weiß nicht|weiß es nicht|nicht sicher|no puedo|"
        "no se puede|no es posible|imposible|no lo sé|no sé|no está claro|no estoy seguro|"
        "no estoy segura|no hay suficiente|je ne peux pas|je ne sais pas|on ne peut pas|"
        "impossible de|pas possible de|pas clair"
        /* Chinese, Japanese, Korean */
        "|无法|無法|不能确定|不能判断|不确定|不確定|不清楚|不知道|看不出|难以|難以|わかりません|分かりません|"
        "わからない|判断できません|判断できない|確認できません|不明|"
        "알 수 없습니다|알 수 없다|알 수 없음|모르겠습니다|판단할 수 없습니다|판단하기 어렵습니다|확인할 수 "
        "없습니다|불명확합니다"
        /* Arabic, Persian, Hebrew, Hindi, Bengali */
        "|لا أستطيع|لا يمكن|لا يمكنني|لا أعرف|غير "
        "واضح|نمی‌توان|نمی‌دانم|مشخص "
        "نیست|לא "
        "ניתן|לא "
        "יכול|"
        "לא יודע|אי אפשר|לא ברור|कहा नहीं जा सकता|नहीं कहा जा सकता|पता नहीं|स्पष्ट नहीं|"
        "निर्धारित नहीं|বলা সম্ভব নয়|জানি না"
        /* Russian, Ukrainian, Polish, Czech, Greek */
        "|не могу|невозможно|неясно|не ясно|не знаю|нельзя определить|не можу|неможливо|незрозуміло|"
        "nie mogę|nie można|nie wiem|niejasne|nelze|nemohu|nevím|není jasné|δεν μπορώ|δεν γνωρίζω|"
        "δεν είναι σαφές|αδύνατο"
        /* Turkish, Portuguese, Italian, Dutch, Swedish, Finnish */
        "|belirlenemez|belirlenemiyor|bilmiyorum|emin değilim|söyleyemem|net değil|não posso|"
        "não consigo|não é possível|impossível|não sei|não está claro|não dá para|non posso|"
        "non è possibile|impossibile|non so|non è chiaro|kan niet|niet mogelijk|weet niet|"
        "weet het niet|onduidelijk|kan inte|går inte|vet inte|oklart|en voi|ei voi|ei voida|en tiedä|"
        "epäselvä"
        /* Vietnamese, Indonesian, Thai, Swahili */
        "|không thể|không rõ|không biết|không chắc|tidak dapat|tidak bisa|tidak tahu|tidak jelas|"
        "ไม่สามารถ|ไม่ทราบ|ไม่แน่ใจ|ไม่ชัดเจน|siwezi|haiwezekani|sijui",
    [POV_WORD_EVASION] = "depends",
    [POV_WORD_INABILITY] = "cannot|can't|can not|could not|couldn't|unable|not able|impossible|not possible|"
                           "isn't possible|not be",
    [POV_WORD_TELLING] =
        "tell|told|determine|determined|say|said|answer|answered|provide|identify|identified|assess|"
        "assessed|judge|judged|know|known|conclude|concluded|infer|inferred|decide|decided|establish|"
        "established|ascertain|ascertained|verify|verified|confirm|confirmed|deduce|deduced|evaluate|"
        "discern|assist|help|certain|sure|specify|view images",
    [POV_WORD_OWN_INABILITY] =
        "i cannot|i can't|i can not|i could not|i couldn't|i am unable|i'm unable|i am not able|"
        "i'm not able|we cannot|we can't",
    [POV_WORD_SEEING] = "see any|see a|see an|see the|find any|find a|find the|spot any|detect any",
    [POV_WORD_SEEING_IMAGES] =
        "see the image|see images|see any image|see an image|see the picture|see pictures|"
        "see the photo",
    [POV_WORD_APOLOGY] =
        "sorry|apologize|apologies|unknown|n/a|not applicable|not specified|not stated|not provided|"
        "not given|not mentioned|unspecified|no information|es tut mir leid|lo siento|désolé|"
        "mi dispiace|desculpe|抱歉|申し訳|извините",
    [POV_WORD_CONTRAST] =
        "but|however|though|although|yet|nevertheless|nonetheless|so|i'd say|i would say|guess|"
        "i think|i believe|most likely|aber|pero|mais|ma|mas|maar|но|але|ale|men|mutta|ama|fakat|"
        "tetapi|nhưng|لكن|लेकिन|但|しかし|ただし",
    [POV_WORD_SUBORDINATION] = "although|though|while|since|because|even|given|if|unless|despite|whereas",
    [POV_WORD_CLAUSE] =
        "because|since|while|whereas|when|if|from|relative|but|although|though|given|which|where|so|"
        "is|are|was|than|not|rather|that|faces|facing|looking",
    [POV_WORD_THEREFORE] =
        "therefore|thus|hence|consequently|accordingly|in conclusion|in summary|to conclude|"
        "to summarize|in short|overall|all in all|in total|a total of|altogether|i would say|i'd say|"
        "i would choose|i'd choose|i choose|i would go with|i'd go with|my guess is|best guess|"
        "deshalb|daher|folglich|por lo tanto|por tanto|donc|因此|所以|したがって|поэтому|следовательно|"
        "portanto|quindi|dunque|dus|więc",
    [POV_WORD_CORRECTION] =
        "wait|no wait|oh wait|hold on|actually|correction|scratch that|on second thought|"
        "on second thoughts|on closer inspection|on closer look|on reflection|let me correct that|"
        "let me correct myself|i made a mistake|my mistake|i misspoke|i was wrong",
    [POV_WORD_LINK] = "or|and|oder|und|ou|et|o|y|e|или|и|och|eller|lub|或|或者|和",
    [POV_WORD_NEGATION] =
        "not|isn't|aren't|doesn't|don't|cannot|can't|wasn't|weren't|couldn't|without|neither|nor|"
        "never|than|instead|nicht|kein|keine|pas|não|niet|nie|не|ikke|inte",
    [POV_WORD_SMALL] =
        "to|on|in|at|of|the|a|an|its|his|her|their|my|your|it|them|him|be|slightly|somewhat|bit|"
        "little|side|toward|towards|behind the|both|either",
    [POV_WORD_FILLER] =
        "it's|is|are|was|that|this|there|they|i|i'd|i'll|think|believe|say|would|answer|final|"
        "correct|so|definitely|clearly|probably|likely|most|possibly|perhaps|maybe|just|simply|"
        "directly|only|located|positioned|hand|statement|caption|claim|option|choice|appears|seems|"
        "looks|well|okay|ok|total|about|approximately|around|exactly|roughly|direction|therefore|"
        "thus|from|you|than|and",
    [POV_WORD_SO] = "so",
    [POV_WORD_NOT_SO] = "so that|so far|so much|so many",
    [POV_WORD_WHETHER] = "whether",
    [POV_WORD_CERTAIN] = "absolutely|certainly|definitely|of course|sure",
    [POV_WORD_NO_IDIOM] = "no doubt|no problem|no worries|no matter",
    [POV_WORD_ANY] = "any|single|a single|one",
    [POV_WORD_ONE] = "one",
    [POV_WORD_ONE_OF] = "one of|one that|one on",
    [POV_WORD_ALL] = "all",
    [POV_WORD_BEFORE_LETTER] = "option|choice|letter|is",
    [POV_WORD_AFTER_LETTER] = "because|since|is",
    [POV_WORD_TOP] = "top",
    [POV_WORD_TOP_SUBJECT] = "the|top",
    [POV_WORD_NUMBERED] = "step|image|figure|fig|picture|photo|question|option|part|frame|view",
    [POV_WORD_NO_COUNT] = "no doubt|no problem|no worries|no matter|no idea|no way|no information|no one",
    [POV_WORD_BEFORE_ANY] = "see|have|contain|show|find|a|there|be",
    [POV_WORD_BEFORE_PRONOUN] = "the|this|that|which|each|every|another|other|no",
    [POV_WORD_AFTER_ADVERB] = "in|behind|ahead|next|beside|before|there|now|answer|option|choice",
    [POV_WORD_FACING] = "facing|faces|face|faced|looking|looks",
    [POV_WORD_PREMISE] = "assuming|assume|if|since|given|considering|with|as|because|where",
};
_Static_assert(POV_WORD_CLASSES <= 64, "a bit for each");

const pov_number_word POV_NUMBER_WORDS[] = {
    {"zero", 0},     {"none", 0},     {"nothing", 0},    {"one", 1},       {"single", 1},    {"two", 2},
    {"three", 3},    {"four", 4},     {"five", 5},       {"six", 6},       {"seven", 7},     {"eight", 8},
    {"nine", 9},     {"ten", 10},     {"eleven", 11},    {"twelve", 12},   {"thirteen", 13}, {"fourteen", 14},
    {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},
    {"thirty", 30},  {"forty", 40},   {"fifty", 50},     {"sixty", 60},    {"seventy", 70},  {"eighty", 80},
    {"ninety", 90},  {NULL, 0}};

enum { FIRST = 1, SECOND = 2, THIRD = 4, FOURTH = 8 };

const pov_direction_word POV_CARDINAL_WORDS[] = {{"north", FIRST},
                                                 {"northern", FIRST},
                                                 {"northward", FIRST},
                                                 {"northwards", FIRST},
                                                 {"east", SECOND},
                                                 {"eastern", SECOND},
                                                 {"eastward", SECOND},
                                                 {"eastwards", SECOND},
                                                 {"south", THIRD},
                                                 {"southern", THIRD},
                                                 {"southward", THIRD},
                                                 {"southwards", THIRD},
                                                 {"west", FOURTH},
                                                 {"western", FOURTH},
                                                 {"westward", FOURTH},
                                                 {"westwards", FOURTH},
                                                 {"northeast", FIRST | SECOND},
                                                 {"northeastern", FIRST | SECOND},
                                                 {"southeast", THIRD | SECOND},
                                                 {"southeastern", THIRD | SECOND},
                                                 {"southwest", THIRD | FOURTH},
                                                 {"southwestern", THIRD | FOURTH},
                                                 {"northwest", FIRST | FOURTH},
                                                 {"northwestern", FIRST | FOURTH},
                                                 {NULL, 0}};

const pov_direction_word POV_SIDE_WORDS[] = {
    {"front", FIRST},  {"ahead", FIRST}, {"forward", FIRST},  {"right", SECOND}, {"back", THIRD},
    {"behind", THIRD}, {"rear", THIRD},  {"backward", THIRD}, {"left", FOURTH},  {NULL, 0}};
