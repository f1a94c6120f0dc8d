#include "perception/relations/predicates/affordance.h"

#include <ctype.h>
#include <string.h>

/* Everyday things of which a box shows too little; chosen by hand, after VSR's and COCO's classes. */
static const struct {
    unsigned affords;
    const char *words;
} known[] = {
    {POV_AFFORDS_HOLDING,
     " aeroplane airplane aquarium armchair ashtray backpack bag barrel basin basket bath bathtub beaker "
     "bed bin boat bookcase bookshelf bottle bowl"
     " bucket bunk bus bush cabinet cage can canister canoe car carriage carton case "
     "casserole cask chest closet container cot"
     " cradle cab crate crib cup cupboard dishwasher drawer dustbin fishbowl flask "
     "flowerpot freezer fridge garage glass goblet"
     " hammock hamper handbag house jar jug kayak kennel kettle locker lorry mailbox minivan "
     "microwave mug nest oven pail pan pitcher planter"
     " pocket pool pot pram purse rack refrigerator room rucksack sack saucepan shelf "
     "ship shoebox sink sled sleigh stroller"
     " suitcase tank taxi teacup teapot tent thermos tin toolbox train tram tree trolley "
     "truck tub tumbler urn van vase wagon wallet"
     " wardrobe wheelbarrow wheelchair wineglass "},
    {POV_AFFORDS_BEARING, " armchair bed bench bicycle bike bookcase bookshelf bunk camel chair cot couch "
                          "cow cradle crib donkey elephant hammock"
                          " horse loveseat moped motorbike motorcycle mule pony rack saddle scooter seat "
                          "settee shelf sled sleigh sofa staircase"
                          " stairs steps stool swing throne toilet tractor tricycle unicycle wheelchair "},
    {POV_AFFORDS_SHELTER, " arch armchair awning bed bench bridge bunk canopy carport chair desk gazebo "
                          "parasol pavilion pergola roof stool sunshade"
                          " table tree umbrella wheelchair workbench "},
};

unsigned pov_affordances_of(const char *class_name)
{
    char word[64] = " "; /* the last word, between blanks */
    unsigned affords = 0;
    size_t end = strlen(class_name), begin, len = 1;
    while (end > 0 && !isalpha((unsigned char)class_name[end - 1]))
        end--;
    for (begin = end; begin > 0 && isalpha((unsigned char)class_name[begin - 1]);)
        begin--;
    if (begin == end || end - begin > sizeof word - 3)
        return 0;
    while (begin < end)
        word[len++] = (char)tolower((unsigned char)class_name[begin++]);
    word[len] = ' ';
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        affords |= strstr(known[i].words, word) ? known[i].affords : 0;
    return affords;
}
