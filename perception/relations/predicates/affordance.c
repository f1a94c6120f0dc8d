#include "perception/relations/predicates/affordance.h"

#include <ctype.h>
#include <string.h>

enum {
    HOLDS = POV_AFFORDS_HOLDING,
    BEARS = POV_AFFORDS_BEARING,
    SHELTERS = POV_AFFORDS_SHELTER,
    FLOATS = POV_FLOATS
};

/* Kinds of everyday things, chosen by hand after the classes of VSR, COCO and LVIS. A word may stand in several rows. */
static const struct {
    unsigned affords;
    const char *words;
} known[] = {
    /* vessels for liquids */
    {HOLDS | POV_AFFORDS_POURING,
     " beaker bottle bowl bucket can canister cask cauldron cup flask glass goblet jar jug kettle mug "
     "pail pan pitcher pot saucepan teacup teapot thermos tumbler vase wineglass wok "},
    /* other vessels, cases, furniture with doors or drawers */
    {HOLDS,
     " aquarium ashtray backpack bag barrel basin basket bath bathtub bin box cabinet cage carton case "
     "casserole chest closet container crate cupboard dishwasher drawer dresser dryer dumpster "
     "dustbin envelope fireplace fishbowl flowerpot freezer fridge grill hamper handbag helmet hive "
     "kennel locker mailbox microwave nest oven planter pocket purse refrigerator rucksack sack safe "
     "satchel shoe shoebox sink suitcase tank terrarium tin toaster toolbox trolley trough tub urn "
     "wallet wardrobe washer "},
    /* rooms, buildings, vehicles with a cabin, places */
    {HOLDS, " ambulance apartment attic barn bathroom bedroom building bus bush cab car carriage castle cave "
            "cellar church corridor elevator field forest garage garden greenhouse hall hallway hangar hedge "
            "hole hotel house hut kitchen lift lorry minivan museum office orchard park pen pit playground "
            "pram restaurant room school shed shop stable stadium store stroller taxi temple tent theater "
            "theatre tipi train tram trailer truck tunnel van wagon warehouse wheelbarrow woods yard zoo "},
    {HOLDS | POV_AFFORDS_RIDING,
     " aeroplane aircraft airplane bus coach ferry jet minibus plane ship steamer "
     "streetcar subway train tram trolleybus yacht "},
    {HOLDS | BEARS | FLOATS, " boat canoe catamaran dinghy gondola kayak lifeboat motorboat rowboat sailboat "
                             "speedboat "},
    {FLOATS,
     " buoy duck ferry goose iceberg leaf log paddleboard pelican raft seagull ship steamer surfboard "
     "swan yacht "},
    {HOLDS | POV_AFFORDS_FLOATING,
     " bay canal creek harbor harbour lagoon lake ocean pond pool puddle river sea "
     "stream surf water "},
    /* what things lie in or on, as one likes */
    {HOLDS | BEARS,
     " bookcase bookshelf cot cradle crib dish grass hammock hay rack road sand shelf snow street "
     "toilet "},
    {HOLDS | BEARS | SHELTERS, " armchair bed bunk wheelchair "},
    {HOLDS | SHELTERS, " tree "},
    /* seats, boards, surfaces */
    {BEARS | SHELTERS, " bench bridge chair roof stool "},
    {BEARS,
     " beanbag bicycle bike board carpet couch counter cushion deck dock floor ground lap lounger loveseat "
     "mat "
     "mattress moped motorbike motorcycle paddleboard pallet pedestal pier pillow plate platform pouf "
     "raft recliner rug saddle saucer scooter seat settee sidewalk skateboard ski skis sled sledge sleigh "
     "snowboard sofa stage staircase stairs steps surfboard swing throne toboggan tractor tray tricycle "
     "unicycle "},
    /* animals */
    {BEARS,
     " alligator alpaca animal antelope ape bear beetle bird bison boar buffalo bull bunny butterfly "
     "calf camel cat cattle cheetah chicken cow crab crocodile crow deer dinosaur dog dolphin donkey dove "
     "dragon duck eagle elephant elk ewe fish flamingo foal fox frog giraffe goat goose gorilla hamster "
     "hare hawk hen hippo hippopotamus hog horse hyena iguana jaguar kangaroo kitten koala lamb leopard "
     "lion lizard llama lynx mammoth monkey moose mule octopus ostrich otter owl ox oxen panda panther "
     "parrot peacock pelican penguin pig pigeon pony puppy rabbit raccoon ram rat raven reindeer rhino "
     "rhinoceros rooster seagull seal shark sheep snail snake sparrow squirrel swan tiger toad tortoise "
     "turkey turtle walrus whale wolf yak zebra "},
    /* people */
    {BEARS,
     " actor adult baby biker body boy bride cameraman chef child children clown cyclist dancer doctor "
     "driver farmer father fisherman girl groom guy head human infant jockey kid knee lady man men mother "
     "motorcyclist musician officer pedestrian people person player policeman rider shoulder singer "
     "skateboarder skater skier snowboarder soldier student surfer teacher toddler waiter waitress woman "
     "women worker "},
    /* roofs, tables */
    {SHELTERS,
     " arch awning canopy carport gazebo marquee parasol pavilion pergola sunshade table umbrella "},
    {SHELTERS | POV_AFFORDS_STOWING, " desk nightstand sideboard vanity workbench "},
    {POV_AFFORDS_COVERING, " afghan bedcover bedsheet bedspread blanket cloth comforter coverlet duvet quilt "
                           "sheet tablecloth tarp tarpaulin towel veil "},
    {POV_AFFORDS_NOTHING,
     " billboard block brick clock column cube door fence lamppost mirror monitor monument "
     "painting picture pillar pole post poster screen sign statue television tombstone tv "
     "wall whiteboard "},
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
