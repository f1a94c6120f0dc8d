#include "config/yaml_file.h"
