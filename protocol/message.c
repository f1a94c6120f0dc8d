#include "protocol/message.h"
