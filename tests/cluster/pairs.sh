# What the tests over ranks share; sourced with the folder of Ethernet programs in $guest.
# pairs PAIR...: a scenario on $system with an echo over each of these links, such as 0/eth0-1/eth2. The senders send three times;
# the receivers expect $expect messages (3).
pairs() {
    local pair
    echo "system: $system"
    echo "tiles:"
    for pair; do
        echo "  ${pair%-*}: {erisc0: $guest/echo_sender.erisc0.elf, load: [{address: 0x18008, words: [2064, 3]}]}"
        echo "  ${pair#*-}: {erisc0: $guest/echo_receiver.erisc0.elf, load: [{address: 0x18008, words: [2064, ${expect:-3}]}]}"
    done
    echo "script:"
    for pair; do
        echo "  - release: {tile: ${pair%-*}, cores: [erisc0]}"
        echo "  - release: {tile: ${pair#*-}, cores: [erisc0]}"
    done
    for pair; do
        echo "  - until: {tile: ${pair#*-}, l1: 0x18000, is: 0x600dd04e, limit: 1000000}"
    done
}
# cut_link: what `pairs' says, with a link that goes down in the middle.
cut_link() { sed '0,/- until/s//- run: 5000\n  - link: {end: 1\/eth0, state: down}\n  - until/'; }
