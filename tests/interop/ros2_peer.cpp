// A node of the other vendor (eProsima Fast DDS): what it hears of topics as bytes, or what it says. For tests of ROS 2.
//   ros2_peer hear DOMAIN SECONDS TOPIC TYPE QOS [TOPIC TYPE QOS ...]   prints "TOPIC HEX" for each message, "matched TOPIC" once
//   ros2_peer age ...                                                    as hear; of lines of JSON about an image, nanoseconds since it was taken
//   ros2_peer say DOMAIN TOPIC TYPE QOS HZ FILE...                       sends each file's bytes in turn, until it is ended
//   ros2_peer play DOMAIN SCRIPT                                          sends the lines "PAUSE_S TOPIC TYPE QOS FILE" in turn
//   ros2_peer crowd DOMAIN N HZ                                           N participants, each with a topic of its own, in all HZ messages a
//                                                                         second of 1 KiB, until it is ended; prints "ready"
// QOS: "r" reliable or "b" best effort, then "v" volatile or "t" transient local.
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace eprosima::fastdds::dds;
using bytes = std::vector<unsigned char>;

class bytes_type : public TopicDataType
{
  public:
    explicit bytes_type(const std::string &name)
    {
        setName(name.c_str());
        m_typeSize = 16 << 20;
        m_isGetKeyDefined = false;
    }
    bool serialize(void *data, eprosima::fastrtps::rtps::SerializedPayload_t *payload) override
    {
        const bytes &from = *static_cast<bytes *>(data);
        memcpy(payload->data, from.data(), from.size());
        payload->length = from.size();
        payload->encapsulation = CDR_LE;
        return true;
    }
    bool deserialize(eprosima::fastrtps::rtps::SerializedPayload_t *payload, void *data) override
    {
        static_cast<bytes *>(data)->assign(payload->data, payload->data + payload->length);
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *data) override
    {
        return [data] { return static_cast<uint32_t>(static_cast<bytes *>(data)->size()); };
    }
    void *createData() override
    {
        return new bytes;
    }
    void deleteData(void *data) override
    {
        delete static_cast<bytes *>(data);
    }
    bool getKey(void *, eprosima::fastrtps::rtps::InstanceHandle_t *, bool) override
    {
        return false;
    }
};

static std::mutex printing;

static bool tells_age = false;

// Of a line of JSON: the time since the image was taken that it is about.
static void print_age(const std::string &name, const bytes &data)
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::string text(data.begin(), data.end()), key = "\"capture_ns\":";
    const size_t at = text.find(key);
    if (at == std::string::npos)
        return;
    const std::lock_guard<std::mutex> lock(printing);
    printf("%s %lld\n", name.c_str(),
           static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) -
               std::strtoll(text.c_str() + at + key.size(), nullptr, 10));
    fflush(stdout);
}

class hearer : public DataReaderListener
{
  public:
    explicit hearer(std::string name) : name(std::move(name))
    {
    }
    void on_subscription_matched(DataReader *, const SubscriptionMatchedStatus &status) override
    {
        const std::lock_guard<std::mutex> lock(printing);
        printf("%s %s\n", status.current_count_change > 0 ? "matched" : "unmatched", name.c_str());
        fflush(stdout);
    }
    void on_requested_incompatible_qos(DataReader *, const RequestedIncompatibleQosStatus &) override
    {
        const std::lock_guard<std::mutex> lock(printing);
        printf("incompatible %s\n", name.c_str());
        fflush(stdout);
    }
    void on_data_available(DataReader *reader) override
    {
        bytes data;
        SampleInfo info;
        while (reader->take_next_sample(&data, &info) == ReturnCode_t::RETCODE_OK) {
            if (!info.valid_data)
                continue;
            if (tells_age) {
                print_age(name, data);
                continue;
            }
            std::string text;
            char digits[3];
            for (unsigned char byte : data) {
                snprintf(digits, sizeof digits, "%02x", byte);
                text += digits;
            }
            const std::lock_guard<std::mutex> lock(printing);
            printf("%s %s\n", name.c_str(), text.c_str());
            fflush(stdout);
        }
    }

  private:
    std::string name;
};

template <typename Qos> static Qos with(Qos qos, const std::string &letters)
{
    qos.reliability().kind = letters[0] == 'r' ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    qos.durability().kind = letters[1] == 't' ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
    qos.history().kind =
        KEEP_ALL_HISTORY_QOS; // 2.9 fails an assertion of its own where it drops a sample that is being taken
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    return qos;
}

static DomainParticipant *join(int domain)
{
    DomainParticipantQos qos;
    auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.emplace_back(getenv("ROS2_PEER_ADDRESS") ? getenv("ROS2_PEER_ADDRESS")
                                                                     : "127.0.0.1");
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    qos.name("ros2_peer");
    auto &discovery = qos.wire_protocol().builtin.discovery_config; // one that is killed is missed soon
    discovery.leaseDuration = {3, 0};
    discovery.leaseDuration_announcementperiod = {1, 0};
    return DomainParticipantFactory::get_instance()->create_participant(domain, qos);
}

static Topic *make_topic(DomainParticipant *participant, const char *name, const char *type)
{
    TypeSupport(new bytes_type(type)).register_type(participant);
    return participant->create_topic(name, type, TOPIC_QOS_DEFAULT);
}

static int hear(DomainParticipant *participant, double seconds, char **topics)
{
    Subscriber *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
    for (; topics[0]; topics += 3)
        if (!subscriber->create_datareader(make_topic(participant, topics[0], topics[1]),
                                           with(DataReaderQos(), topics[2]), new hearer(topics[0])))
            return 1;
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    return 0;
}

static int say(DomainParticipant *participant, char **arguments)
{
    std::vector<bytes> messages;
    for (char **file = arguments + 4; *file; file++) {
        std::ifstream stream(*file, std::ios::binary);
        messages.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT);
    DataWriter *writer = publisher->create_datawriter(make_topic(participant, arguments[0], arguments[1]),
                                                      with(DataWriterQos(), arguments[2]));
    for (size_t i = 0; writer; i = (i + 1) % messages.size()) {
        writer->write(&messages[i]);
        std::this_thread::sleep_for(std::chrono::duration<double>(1 / atof(arguments[3])));
    }
    return 1;
}

// Begins when each topic has a reader, and stays for a second after the last line.
static int play(DomainParticipant *participant, const char *script)
{
    struct line {
        double pause_s;
        DataWriter *writer;
        bytes message;
    };
    std::vector<line> lines;
    std::map<std::string, DataWriter *> writers;
    Publisher *publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT);
    std::ifstream text(script);
    double pause_s;
    std::string topic, type, qos, file;
    while (text >> pause_s >> topic >> type >> qos >> file) {
        DataWriter *&writer = writers[topic];
        if (!writer)
            writer = publisher->create_datawriter(make_topic(participant, topic.c_str(), type.c_str()),
                                                  with(DataWriterQos(), qos));
        std::ifstream stream(file, std::ios::binary);
        lines.push_back({pause_s, writer,
                         bytes(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>())});
    }
    for (const auto &writer : writers) {
        PublicationMatchedStatus status;
        for (int i = 0; i < 2000; i++) {
            if (writer.second->get_publication_matched_status(status) != ReturnCode_t::RETCODE_OK)
                return 1;
            if (status.current_count > 0)
                break;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    // The readers have yet to know the writers: what comes before is sent again with the next heartbeat, 3 s later.
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    for (line &next : lines) {
        std::this_thread::sleep_for(std::chrono::duration<double>(next.pause_s));
        if (!next.writer->write(&next.message))
            return 1;
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return 0;
}

static int crowd(DomainParticipant *first, int domain, int count, double hz)
{
    bytes message(1024);
    std::vector<DataWriter *> writers;
    memcpy(message.data(), "\0\1\0\0\xf8\3\0\0", 8);
    for (int i = 0; i < count; i++) {
        DomainParticipant *participant = i == 0 ? first : join(domain);
        if (!participant)
            return 1;
        const std::string name = "rt/foreign/topic" + std::to_string(i);
        writers.push_back(
            participant->create_publisher(PUBLISHER_QOS_DEFAULT)
                ->create_datawriter(make_topic(participant, name.c_str(), "std_msgs::msg::dds_::String_"),
                                    with(DataWriterQos(), "bv")));
    }
    puts("ready");
    fflush(stdout);
    for (size_t i = 0;; i = (i + 1) % writers.size()) {
        writers[i]->write(&message);
        std::this_thread::sleep_for(std::chrono::duration<double>(1 / hz));
    }
}

int main(int argc, char **argv)
{
    const std::string word = argc > 1 ? argv[1] : "";
    if (argc < (word == "play" ? 4 : word == "crowd" ? 5 : 7))
        return 2;
    DomainParticipant *participant = join(atoi(argv[2]));
    if (!participant)
        return 1;
    tells_age = word == "age";
    const int code = word == "hear" || tells_age ? hear(participant, atof(argv[3]), argv + 4)
                     : word == "play"            ? play(participant, argv[3])
                     : word == "crowd" ? crowd(participant, atoi(argv[2]), atoi(argv[3]), atof(argv[4]))
                                       : say(participant, argv + 3);
    fflush(stdout);
    std::_Exit(code);
}
