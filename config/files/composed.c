#include "config/files/composed.h"

#include "config/files/utf8.h"

#include <stdint.h>

/* A mark, and the letters that it makes another character with. Unicode 14, canonical decompositions of two (UnicodeData.txt,
 * DerivedNormalizationProps.txt). */
static const struct {
    uint32_t mark;
    const char *letters;
} composing[] = {
    {0x300, "AEINOUWYaeinouwy¨ÂÊÔÜâêôüĂăĒēŌōƠơƯưΑΕΗΙΟΥΩαεηιουωϊϋЕИеиἀἁἈἉἐἑἘἙἠἡἨἩἰἱἸἹὀὁὈὉὐὑὙὠὡὨὩ᾿῾"},
    {0x301, "ACEGIKLMNOPRSUWYZacegiklmnoprsuwyz¨ÂÅÆÇÊÏÔÕØÜâåæçêïôõøüĂăĒēŌōŨũƠơƯưΑΕΗΙΟΥΩαεηιουωϊϋϒГКгкἀἁἈἉἐἑἘἙ"
            "ἠἡἨἩἰἱἸἹὀὁὈὉὐὑὙὠὡὨὩ᾿῾"},
    {0x302, "ACEGHIJOSUWYZaceghijosuwyzẠạẸẹỌọ"},
    {0x303, "AEINOUVYaeinouvyÂÊÔâêôĂăƠơƯư"},
    {0x304, "AEGIOUYaegiouyÄÆÕÖÜäæõöüǪǫȦȧȮȯΑΙΥαιυИУиуḶḷṚṛ"},
    {0x306, "AEGIOUaegiouȨȩΑΙΥαιυАЕЖИУаежиуẠạ"},
    {0x307, "ABCDEFGHIMNOPRSTWXYZabcdefghmnoprstwxyzŚśŠšſṢṣ"},
    {0x308, "AEHIOUWXYaehiotuwxyÕõŪūΙΥιυϒІАЕЖЗИОУЧЫЭаежзиоучыэіӘәӨө"},
    {0x309, "AEIOUYaeiouyÂÊÔâêôĂăƠơƯư"},
    {0x30a, "AUauwy"},
    {0x30b, "OUouУу"},
    {0x30c, "ACDEGHIKLNORSTUZacdeghijklnorstuzÜüƷʒ"},
    {0x30f, "AEIORUaeioruѴѵ"},
    {0x311, "AEIORUaeioru"},
    {0x313, "ΑΕΗΙΟΩαεηιορυω"},
    {0x314, "ΑΕΗΙΟΡΥΩαεηιορυω"},
    {0x31b, "OUou"},
    {0x323, "ABDEHIKLMNORSTUVWYZabdehiklmnorstuvwyzƠơƯư"},
    {0x324, "Uu"},
    {0x325, "Aa"},
    {0x326, "STst"},
    {0x327, "CDEGHKLNRSTcdeghklnrst"},
    {0x328, "AEIOUaeiou"},
    {0x32d, "DELNTUdelntu"},
    {0x32e, "Hh"},
    {0x330, "EIUeiu"},
    {0x331, "BDKLNRTZbdhklnrtz"},
    {0x338, "<=>←→↔⇐⇒⇔∃∈∋∣∥∼≃≅≈≍≡≤≥≲≳≶≷≺≻≼≽⊂⊃⊆⊇⊑⊒⊢⊨⊩⊫⊲⊳⊴⊵"},
    {0x342, "¨αηιυωϊϋἀἁἈἉἠἡἨἩἰἱἸἹὐὑὙὠὡὨὩ᾿῾"},
    {0x345, "ΑΗΩάήαηωώἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏἠἡἢἣἤἥἦἧἨἩἪἫἬἭἮἯὠὡὢὣὤὥὦὧὨὩὪὫὬὭὮὯὰὴὼᾶῆῶ"},
    {0x653, "ا"},
    {0x654, "اويہےە"},
    {0x655, "ا"},
    {0x93c, "नरळ"},
    {0x9be, "ে"},
    {0x9d7, "ে"},
    {0xb3e, "େ"},
    {0xb56, "େ"},
    {0xb57, "େ"},
    {0xbbe, "ெே"},
    {0xbd7, "ஒெ"},
    {0xc56, "ె"},
    {0xcc2, "ೆ"},
    {0xcd5, "ಿೆೊ"},
    {0xcd6, "ೆ"},
    {0xd3e, "െേ"},
    {0xd57, "െ"},
    {0xdca, "ෙො"},
    {0xdcf, "ෙ"},
    {0xddf, "ෙ"},
    {0x102e, "ဥ"},
    {0x1b35, "ᬅᬇᬉᬋᬍᬑᬺᬼᬾᬿᭂ"},
    {0x3099,
     "うかきくけこさしすせそたちつてとはひふへほゝウカキクケコサシスセソタチツテトハヒフヘホワヰヱヲヽ"},
    {0x309a, "はひふへほハヒフヘホ"},
    {0x110ba, "𑂙𑂛𑂥"},
    {0x11127, "𑄱𑄲"},
    {0x1133e, "𑍇"},
    {0x11357, "𑍇"},
    {0x114b0, "𑒹"},
    {0x114ba, "𑒹"},
    {0x114bd, "𑒹"},
    {0x115af, "𑖸𑖹"},
    {0x11930, "𑤵"},
};

/* Characters that stand for others: U+212B for U+00C5, and the like. Same source. */
static const struct {
    uint32_t first, last;
} replaced[] = {
    {0x340, 0x341},     {0x343, 0x344},     {0x374, 0x374},     {0x37e, 0x37e},   {0x387, 0x387},
    {0x958, 0x95f},     {0x9dc, 0x9dd},     {0x9df, 0x9df},     {0xa33, 0xa33},   {0xa36, 0xa36},
    {0xa59, 0xa5b},     {0xa5e, 0xa5e},     {0xb5c, 0xb5d},     {0xf43, 0xf43},   {0xf4d, 0xf4d},
    {0xf52, 0xf52},     {0xf57, 0xf57},     {0xf5c, 0xf5c},     {0xf69, 0xf69},   {0xf73, 0xf73},
    {0xf75, 0xf76},     {0xf78, 0xf78},     {0xf81, 0xf81},     {0xf93, 0xf93},   {0xf9d, 0xf9d},
    {0xfa2, 0xfa2},     {0xfa7, 0xfa7},     {0xfac, 0xfac},     {0xfb9, 0xfb9},   {0x1f71, 0x1f71},
    {0x1f73, 0x1f73},   {0x1f75, 0x1f75},   {0x1f77, 0x1f77},   {0x1f79, 0x1f79}, {0x1f7b, 0x1f7b},
    {0x1f7d, 0x1f7d},   {0x1fbb, 0x1fbb},   {0x1fbe, 0x1fbe},   {0x1fc9, 0x1fc9}, {0x1fcb, 0x1fcb},
    {0x1fd3, 0x1fd3},   {0x1fdb, 0x1fdb},   {0x1fe3, 0x1fe3},   {0x1feb, 0x1feb}, {0x1fee, 0x1fef},
    {0x1ff9, 0x1ff9},   {0x1ffb, 0x1ffb},   {0x1ffd, 0x1ffd},   {0x2000, 0x2001}, {0x2126, 0x2126},
    {0x212a, 0x212b},   {0x2329, 0x232a},   {0x2adc, 0x2adc},   {0xf900, 0xfa0d}, {0xfa10, 0xfa10},
    {0xfa12, 0xfa12},   {0xfa15, 0xfa1e},   {0xfa20, 0xfa20},   {0xfa22, 0xfa22}, {0xfa25, 0xfa26},
    {0xfa2a, 0xfa6d},   {0xfa70, 0xfad9},   {0xfb1d, 0xfb1d},   {0xfb1f, 0xfb1f}, {0xfb2a, 0xfb36},
    {0xfb38, 0xfb3c},   {0xfb3e, 0xfb3e},   {0xfb40, 0xfb41},   {0xfb43, 0xfb44}, {0xfb46, 0xfb4e},
    {0x1d15e, 0x1d164}, {0x1d1bb, 0x1d1c0}, {0x2f800, 0x2fa1d},
};

/* `length`: as pov_utf8_character_length gives it, not 0. */
static uint32_t decode_character(const char *text, size_t length)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0xf, 7};
    uint32_t code = (unsigned char)text[0] & masks[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

/* Unicode 15, section 3.12: Korean syllables are composed of two or three. */
static bool is_korean_pair(uint32_t before, uint32_t code)
{
    const bool is_syllable_of_two = before >= 0xac00 && before <= 0xd7a3 && (before - 0xac00) % 28 == 0;
    return (before >= 0x1100 && before <= 0x1112 && code >= 0x1161 && code <= 0x1175) ||
           (is_syllable_of_two && code >= 0x11a8 && code <= 0x11c2);
}

static bool is_letter_of(const char *letters, uint32_t wanted)
{
    for (size_t length; (length = pov_utf8_character_length(letters)) > 0; letters += length)
        if (decode_character(letters, length) == wanted)
            return true;
    return false;
}

static bool is_pair(uint32_t before, uint32_t code)
{
    for (size_t i = 0; i < sizeof composing / sizeof *composing; i++)
        if (composing[i].mark == code)
            return is_letter_of(composing[i].letters, before);
    return is_korean_pair(before, code);
}

static bool is_replaced(uint32_t code)
{
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
        if (code >= replaced[i].first && code <= replaced[i].last)
            return true;
    return false;
}

bool pov_utf8_is_composed(const char *text)
{
    uint32_t before = 0;
    for (size_t length; (length = pov_utf8_character_length(text)) > 0; text += length) {
        const uint32_t code = decode_character(text, length);
        if (code >= 0x300 && (is_replaced(code) || is_pair(before, code)))
            return false;
        before = code;
    }
    return true;
}

bool pov_utf8_is_visible(const char *text)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},    {0x180e, 0x180e},
                  {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                  {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t length; (length = pov_utf8_character_length(text)) > 0; text += length)
        for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
            const uint32_t code = decode_character(text, length);
            if (code >= hidden[i].first && code <= hidden[i].last)
                return false;
        }
    return true;
}
