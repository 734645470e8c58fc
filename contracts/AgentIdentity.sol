// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title The identity token: one ERC-721 token per agent, ids counted from 0
/// @notice Speaks the interface of the live identity contract on Base (functions, events, errors, order of logs,
///   points and name rules), so that one indexer and one API serve both.
/// @dev Where the live contract is known to be careless the same interface is kept with the safer order of effects:
///   agent data is stored before the receiver hook runs, and the breakdown of the score always adds up to the score.
contract AgentIdentity is ERC721, EIP712, Ownable {
    /// @notice How a token came to be. The numbers are part of the interface.
    enum MintOrigin {
        HUMAN,
        AGENT_SIWA,
        API,
        OWNER
    }

    struct Agent {
        address agentAddress;
        string name;
        string framework;
        uint64 mintedAt;
        bool verified;
        bool soulbound;
        MintOrigin origin;
        uint16 generation;
        uint256 parentId;
        uint16 mutationCount;
        string currentVersion;
    }

    struct Personality {
        string quirks;
        string communicationStyle;
        string values;
        string humor;
        uint8 riskTolerance;
        uint8 autonomyLevel;
    }

    struct Narrative {
        string origin;
        string mission;
        string lore;
        string manifesto;
    }

    struct Trait {
        string name;
        string category;
        uint64 addedAt;
    }

    /// @dev The eight parts of the on-chain score.
    struct Cred {
        uint256 activity;
        uint256 traitDepth;
        uint256 verification;
        uint256 soulbound;
        uint256 age;
        uint256 narrative;
        uint256 origin;
        uint256 coinbase;
    }

    uint16 public constant MINT_POINTS = 100;
    uint16 public constant TRAIT_POINTS = 10;
    /// @notice For the first text in a narrative field, or the first narrative set as a whole.
    uint16 public constant NARRATIVE_POINTS = 25;
    /// @notice On top of MINT_POINTS when the agent itself signed for its mint.
    uint16 public constant SIWA_BONUS = 50;
    uint16 public constant UPDATE_POINTS = 5;
    uint16 public constant VERIFY_POINTS = 75;

    bytes32 private constant SIWA_TYPEHASH =
        keccak256("SIWAVerification(address agentAddress,uint256 agentId,uint256 nonce,uint256 deadline)");
    bytes32 private constant SET_AGENT_WALLET_TYPEHASH =
        keccak256("SetAgentWallet(uint256 tokenId,address newWallet)");
    /// @dev The age part of the score is complete after this many days.
    uint256 private constant FULL_AGE_DAYS = 30;

    uint256 private _nextTokenId;
    mapping(uint256 tokenId => Agent) private _agents;
    mapping(uint256 tokenId => Personality) private _personalities;
    mapping(uint256 tokenId => Narrative) private _narratives;
    mapping(uint256 tokenId => Trait[]) private _traits;
    mapping(uint256 tokenId => string) private _tokenUris;
    /// @dev Keyed by the lower-case name. Holds tokenId + 1, because 0 is a token and must differ from "free".
    mapping(string lowerName => uint256 tokenIdPlusOne) private _nameHolder;
    mapping(uint256 tokenId => string) private _names;

    /// @notice Points of a token: the sum of its PointsAwarded events.
    mapping(uint256 tokenId => uint256) public points;
    uint256 public totalPointsAwarded;
    /// @notice Whether the exchange's attestation was seen for the token; set by the contract owner.
    mapping(uint256 tokenId => bool) public coinbaseVerified;
    /// @notice Accounts that used their one mint. `mintFor` neither checks nor sets it.
    mapping(address account => bool) public hasMinted;
    /// @notice Nonce the next SIWA mint signature of an agent must carry.
    mapping(address agentAddress => uint256) public siwaNonces;

    /// @notice Where `withdraw` sends the balance.
    address public treasury;
    uint256 public mintPrice;
    uint256 public traitPrice;
    uint256 public namePrice;

    uint8 public weightActivity = 20;
    uint8 public weightTraitDepth = 15;
    uint8 public weightVerification = 15;
    uint8 public weightSoulbound = 5;
    uint8 public weightAge = 10;
    uint8 public weightNarrative = 10;
    uint8 public weightOrigin = 10;
    uint8 public weightCoinbase = 15;

    event AgentRegistered(uint256 indexed tokenId, address indexed agentAddress, string name, MintOrigin origin);
    event AgentVerified(uint256 indexed tokenId);
    event CoinbaseVerified(uint256 indexed tokenId, address indexed ownerWallet);
    event Mutated(uint256 indexed tokenId, string newVersion);
    event TraitAdded(uint256 indexed tokenId, string name, string category);
    event NarrativeSet(uint256 indexed tokenId, string field);
    event NameRegistered(uint256 indexed tokenId, string name);
    event PointsAwarded(uint256 indexed tokenId, uint256 amount, string reason);
    /// @dev Part of the interface, never emitted: names move only by being registered again.
    event NameTransferred(string name, uint256 indexed from, uint256 indexed to);
    /// @dev Part of the interface, never emitted: the score is computed when it is asked for.
    event CredScoreUpdated(uint256 indexed tokenId, uint8 score);

    error AlreadyMinted();
    error NotTokenOwner();
    error InvalidName();
    error NameTaken();
    error Soulbound();
    error InsufficientPayment();
    error InvalidSignature();
    error ExpiredDeadline();
    error NoAgent();

    /// @param treasury_ Receiver of what `withdraw` sends.
    /// @param mintPrice_ Wei an account pays to mint by itself.
    /// @param traitPrice_ Wei for adding a trait; 0 is free.
    /// @param namePrice_ Wei for registering a name; 0 is free.
    constructor(address treasury_, uint256 mintPrice_, uint256 traitPrice_, uint256 namePrice_)
        ERC721("Helixa", "HELIXA")
        EIP712("Helixa", "2")
        Ownable(msg.sender)
    {
        treasury = treasury_;
        mintPrice = mintPrice_;
        traitPrice = traitPrice_;
        namePrice = namePrice_;
    }

    /// @dev Reverts with ERC721NonexistentToken for a token that was never minted.
    modifier onlyTokenOwnerOrOwner(uint256 tokenId) {
        if (msg.sender != ownerOf(tokenId) && msg.sender != owner()) revert NotTokenOwner();
        _;
    }

    modifier agentExists(uint256 tokenId) {
        if (tokenId >= _nextTokenId) revert NoAgent();
        _;
    }

    modifier paying(uint256 price) {
        if (msg.value < price) revert InsufficientPayment();
        _;
    }

    // ---------------------------------------------------------------- minting

    /// @notice Mints to the caller. One per account.
    function mint(address agentAddress, string calldata name, string calldata framework, bool soulbound)
        external
        payable
        returns (uint256)
    {
        _useMint(msg.sender);
        return _register(msg.sender, agentAddress, name, framework, soulbound, MintOrigin.HUMAN);
    }

    /// @notice Mints a transferable token to the caller. One per account.
    function register(address agentAddress, string calldata name, string calldata framework)
        external
        payable
        returns (uint256)
    {
        _useMint(msg.sender);
        return _register(msg.sender, agentAddress, name, framework, false, MintOrigin.HUMAN);
    }

    /// @notice Mints to the caller for an agent that signed for it. One per agent address.
    /// @param deadline Unix seconds until which the signature may be used.
    /// @param signature EIP-712 SIWAVerification by `agentAddress` over the next token id and its nonce.
    function mintWithSIWA(
        address agentAddress,
        string calldata name,
        string calldata framework,
        bool soulbound,
        uint256 deadline,
        bytes calldata signature
    ) external payable returns (uint256 tokenId) {
        if (block.timestamp > deadline) revert ExpiredDeadline();
        _useMint(agentAddress);
        bytes32 structHash =
            keccak256(abi.encode(SIWA_TYPEHASH, agentAddress, _nextTokenId, siwaNonces[agentAddress]++, deadline));
        if (ECDSA.recover(_hashTypedDataV4(structHash), signature) != agentAddress) revert InvalidSignature();
        tokenId = _register(msg.sender, agentAddress, name, framework, soulbound, MintOrigin.AGENT_SIWA);
        _award(tokenId, SIWA_BONUS, "siwa_mint");
    }

    /// @notice Mints to `to` on its behalf, without price and outside the one-per-account rule.
    function mintFor(
        address to,
        address agentAddress,
        string calldata name,
        string calldata framework,
        bool soulbound,
        MintOrigin origin
    ) external onlyOwner returns (uint256) {
        return _register(to, agentAddress, name, framework, soulbound, origin);
    }

    /// @dev Takes the account's one mint and its price.
    function _useMint(address account) private {
        if (hasMinted[account]) revert AlreadyMinted();
        if (msg.value < mintPrice) revert InsufficientPayment();
        hasMinted[account] = true;
    }

    /// @dev Order of logs: Transfer, PointsAwarded("mint"), AgentRegistered.
    function _register(
        address to,
        address agentAddress,
        string calldata name,
        string calldata framework,
        bool soulbound,
        MintOrigin origin
    ) private returns (uint256 tokenId) {
        tokenId = _nextTokenId++;
        Agent storage agent = _agents[tokenId];
        agent.agentAddress = agentAddress;
        agent.name = name;
        agent.framework = framework;
        agent.mintedAt = uint64(block.timestamp);
        agent.soulbound = soulbound;
        agent.origin = origin;
        agent.currentVersion = "1.0";
        _safeMint(to, tokenId);
        _award(tokenId, MINT_POINTS, "mint");
        emit AgentRegistered(tokenId, agentAddress, name, origin);
    }

    // ---------------------------------------------------------------- the agent

    function getAgent(uint256 tokenId) external view agentExists(tokenId) returns (Agent memory) {
        return _agents[tokenId];
    }

    /// @notice Tokens minted so far, which is also the next token id.
    function totalAgents() external view returns (uint256) {
        return _nextTokenId;
    }

    function getMintOrigin(uint256 tokenId) external view agentExists(tokenId) returns (MintOrigin) {
        return _agents[tokenId].origin;
    }

    /// @notice Names another wallet as the agent's, with that wallet's consent.
    /// @param signature EIP-712 SetAgentWallet by `newWallet`. It carries no nonce: consent once given stays valid.
    function setAgentWallet(uint256 tokenId, address newWallet, bytes calldata signature)
        external
        onlyTokenOwnerOrOwner(tokenId)
    {
        bytes32 structHash = keccak256(abi.encode(SET_AGENT_WALLET_TYPEHASH, tokenId, newWallet));
        if (ECDSA.recover(_hashTypedDataV4(structHash), signature) != newWallet) revert InvalidSignature();
        _agents[tokenId].agentAddress = newWallet;
    }

    /// @notice Counts a mutation and sets the version.
    function mutate(uint256 tokenId, string calldata newVersion) external onlyTokenOwnerOrOwner(tokenId) {
        Agent storage agent = _agents[tokenId];
        agent.mutationCount++;
        agent.currentVersion = newVersion;
        _award(tokenId, UPDATE_POINTS, "mutate");
        emit Mutated(tokenId, newVersion);
    }

    /// @notice Sets the token URI. Emits nothing: readers must ask.
    function setMetadata(uint256 tokenId, string calldata uri) external onlyTokenOwnerOrOwner(tokenId) {
        _tokenUris[tokenId] = uri;
    }

    /// @notice Same as `setMetadata`.
    function setAgentURI(uint256 tokenId, string calldata uri) external onlyTokenOwnerOrOwner(tokenId) {
        _tokenUris[tokenId] = uri;
    }

    function getMetadata(uint256 tokenId) external view returns (string memory) {
        return tokenURI(tokenId);
    }

    function tokenURI(uint256 tokenId) public view override agentExists(tokenId) returns (string memory) {
        return _tokenUris[tokenId];
    }

    // ---------------------------------------------------------------- traits, personality, narrative

    function addTrait(uint256 tokenId, string calldata name, string calldata category)
        external
        payable
        onlyTokenOwnerOrOwner(tokenId)
        paying(traitPrice)
    {
        _traits[tokenId].push(Trait(name, category, uint64(block.timestamp)));
        _award(tokenId, TRAIT_POINTS, "trait");
        emit TraitAdded(tokenId, name, category);
    }

    function getTraits(uint256 tokenId) external view agentExists(tokenId) returns (Trait[] memory) {
        return _traits[tokenId];
    }

    /// @notice Replaces the personality. Its only trace in the logs is PointsAwarded("update_personality").
    function setPersonality(uint256 tokenId, Personality calldata personality)
        external
        onlyTokenOwnerOrOwner(tokenId)
    {
        _personalities[tokenId] = personality;
        _award(tokenId, UPDATE_POINTS, "update_personality");
    }

    function getPersonality(uint256 tokenId) external view agentExists(tokenId) returns (Personality memory) {
        return _personalities[tokenId];
    }

    /// @notice Replaces all four texts.
    function setNarrative(uint256 tokenId, Narrative calldata narrative) external onlyTokenOwnerOrOwner(tokenId) {
        Narrative storage stored = _narratives[tokenId];
        bool first = _isEmpty(stored.origin) && _isEmpty(stored.mission);
        _narratives[tokenId] = narrative;
        if (first) _award(tokenId, NARRATIVE_POINTS, "narrative");
        _award(tokenId, UPDATE_POINTS, "update_narrative");
        emit NarrativeSet(tokenId, "all");
    }

    function setOrigin(uint256 tokenId, string calldata text) external onlyTokenOwnerOrOwner(tokenId) {
        bool first = _isEmpty(_narratives[tokenId].origin);
        _narratives[tokenId].origin = text;
        _awardNarrative(tokenId, first, "origin", "update_origin");
    }

    function setMission(uint256 tokenId, string calldata text) external onlyTokenOwnerOrOwner(tokenId) {
        bool first = _isEmpty(_narratives[tokenId].mission);
        _narratives[tokenId].mission = text;
        _awardNarrative(tokenId, first, "mission", "update_mission");
    }

    function setLore(uint256 tokenId, string calldata text) external onlyTokenOwnerOrOwner(tokenId) {
        bool first = _isEmpty(_narratives[tokenId].lore);
        _narratives[tokenId].lore = text;
        _awardNarrative(tokenId, first, "lore", "update_lore");
    }

    function setManifesto(uint256 tokenId, string calldata text) external onlyTokenOwnerOrOwner(tokenId) {
        bool first = _isEmpty(_narratives[tokenId].manifesto);
        _narratives[tokenId].manifesto = text;
        _awardNarrative(tokenId, first, "manifesto", "update_manifesto");
    }

    function getNarrative(uint256 tokenId) external view agentExists(tokenId) returns (Narrative memory) {
        return _narratives[tokenId];
    }

    function _awardNarrative(uint256 tokenId, bool first, string memory field, string memory update) private {
        if (first) _award(tokenId, NARRATIVE_POINTS, field);
        _award(tokenId, UPDATE_POINTS, update);
        emit NarrativeSet(tokenId, field);
    }

    // ---------------------------------------------------------------- names

    /// @notice Registers a name for the token and frees the one it held before.
    /// @param name 2 to 32 of 0-9, A-Z, a-z, `_` and `-`; unique without regard to case.
    function registerName(uint256 tokenId, string calldata name)
        external
        payable
        onlyTokenOwnerOrOwner(tokenId)
        paying(namePrice)
    {
        string memory key = _lowerName(name);
        if (_nameHolder[key] != 0) revert NameTaken();
        delete _nameHolder[_lower(_names[tokenId])];
        _nameHolder[key] = tokenId + 1;
        _names[tokenId] = name;
        emit NameRegistered(tokenId, name);
    }

    /// @notice Token that holds a name. An unregistered name gives 0 as well, so confirm with `nameOf`.
    function resolveName(string calldata name) external view returns (uint256) {
        uint256 holder = _nameHolder[_lower(name)];
        return holder == 0 ? 0 : holder - 1;
    }

    /// @notice Name of a token in the case it was registered with; empty without one.
    function nameOf(uint256 tokenId) external view returns (string memory) {
        return _names[tokenId];
    }

    /// @dev The key of a valid name.
    function _lowerName(string calldata name) private pure returns (string memory) {
        bytes calldata text = bytes(name);
        if (text.length < 2 || text.length > 32) revert InvalidName();
        for (uint256 i; i < text.length; ++i) {
            bytes1 c = text[i];
            bool allowed = (c >= "0" && c <= "9") || (c >= "A" && c <= "Z") || (c >= "a" && c <= "z") || c == "-"
                || c == "_";
            if (!allowed) revert InvalidName();
        }
        return _lower(name);
    }

    function _lower(string memory text) private pure returns (string memory) {
        bytes memory letters = bytes(text);
        for (uint256 i; i < letters.length; ++i) {
            if (letters[i] >= "A" && letters[i] <= "Z") letters[i] |= 0x20;
        }
        return text;
    }

    // ---------------------------------------------------------------- score

    /// @notice The on-chain score, 0 to 100.
    function getCredScore(uint256 tokenId) external view agentExists(tokenId) returns (uint8) {
        Cred memory cred = _cred(tokenId);
        uint256 score = cred.activity + cred.traitDepth + cred.verification + cred.soulbound + cred.age
            + cred.narrative + cred.origin + cred.coinbase;
        return uint8(_atMost(score, 100));
    }

    /// @notice The parts of `getCredScore`.
    function getCredBreakdown(uint256 tokenId)
        external
        view
        agentExists(tokenId)
        returns (
            uint8 activity,
            uint8 traitDepth,
            uint8 verification,
            uint8 soulboundScore,
            uint8 age,
            uint8 narrative,
            uint8 originScore,
            uint8 coinbaseScore
        )
    {
        Cred memory cred = _cred(tokenId);
        return (
            uint8(cred.activity),
            uint8(cred.traitDepth),
            uint8(cred.verification),
            uint8(cred.soulbound),
            uint8(cred.age),
            uint8(cred.narrative),
            uint8(cred.origin),
            uint8(cred.coinbase)
        );
    }

    /// @dev Every part is at most its weight, and a weight at most 100: each fits uint8.
    function _cred(uint256 tokenId) private view returns (Cred memory cred) {
        Agent storage agent = _agents[tokenId];
        Narrative storage narrative = _narratives[tokenId];
        uint256 traits = _traits[tokenId].length;
        uint256 hasOrigin = _isEmpty(narrative.origin) ? 0 : 1;
        uint256 hasMission = _isEmpty(narrative.mission) ? 0 : 1;
        uint256 hasLore = _isEmpty(narrative.lore) ? 0 : 1;
        uint256 hasManifesto = _isEmpty(narrative.manifesto) ? 0 : 1;
        uint256 texts = 5 * (hasOrigin + hasMission) + 3 * (hasLore + hasManifesto);
        uint256 ageDays = (block.timestamp - agent.mintedAt) / 1 days;

        cred.activity = _atMost(3 * traits + 5 * uint256(agent.mutationCount) + texts, weightActivity);
        cred.traitDepth = _atMost(4 * traits, weightTraitDepth);
        cred.verification = agent.verified ? weightVerification : 0;
        cred.soulbound = agent.soulbound ? weightSoulbound : 0;
        cred.age = _atMost(ageDays * weightAge / FULL_AGE_DAYS, weightAge);
        cred.narrative = _atMost(3 * (hasOrigin + hasMission) + 2 * (hasLore + hasManifesto), weightNarrative);
        if (agent.origin == MintOrigin.AGENT_SIWA) cred.origin = weightOrigin;
        else if (agent.origin == MintOrigin.API) cred.origin = weightOrigin / 2;
        cred.coinbase = coinbaseVerified[tokenId] ? weightCoinbase : 0;
    }

    // ---------------------------------------------------------------- contract owner

    /// @notice Marks a token as verified. Every call awards the points again.
    function verify(uint256 tokenId) external onlyOwner agentExists(tokenId) {
        _agents[tokenId].verified = true;
        _award(tokenId, VERIFY_POINTS, "verified");
        emit AgentVerified(tokenId);
    }

    /// @notice Records or withdraws the exchange's verification. Withdrawing emits nothing.
    function setCoinbaseVerified(uint256 tokenId, bool status) external onlyOwner agentExists(tokenId) {
        coinbaseVerified[tokenId] = status;
        if (!status) return;
        _award(tokenId, VERIFY_POINTS, "coinbase_verified");
        emit CoinbaseVerified(tokenId, ownerOf(tokenId));
    }

    function awardBonusPoints(uint256 tokenId, uint256 amount, string calldata reason) external onlyOwner {
        _award(tokenId, amount, reason);
    }

    function setPricing(uint256 mintPrice_, uint256 traitPrice_, uint256 namePrice_) external onlyOwner {
        mintPrice = mintPrice_;
        traitPrice = traitPrice_;
        namePrice = namePrice_;
    }

    /// @notice Sets the weights of the on-chain score; they must add up to 100.
    function setCredWeights(
        uint8 activity,
        uint8 traitDepth,
        uint8 verification,
        uint8 soulbound,
        uint8 age,
        uint8 narrative,
        uint8 origin,
        uint8 coinbase
    ) external onlyOwner {
        uint256 sum = uint256(activity) + traitDepth + verification + soulbound + age + narrative + origin + coinbase;
        require(sum == 100, "must sum 100");
        weightActivity = activity;
        weightTraitDepth = traitDepth;
        weightVerification = verification;
        weightSoulbound = soulbound;
        weightAge = age;
        weightNarrative = narrative;
        weightOrigin = origin;
        weightCoinbase = coinbase;
    }

    function setTreasury(address treasury_) external onlyOwner {
        treasury = treasury_;
    }

    /// @notice Sends the whole balance to the treasury.
    function withdraw() external onlyOwner {
        (bool sent,) = treasury.call{value: address(this).balance}("");
        require(sent, "withdraw failed");
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    // ---------------------------------------------------------------- internals

    /// @dev The only place that changes points, so that their sum can be rebuilt from the logs.
    function _award(uint256 tokenId, uint256 amount, string memory reason) private {
        points[tokenId] += amount;
        totalPointsAwarded += amount;
        emit PointsAwarded(tokenId, amount, reason);
    }

    /// @dev A soulbound token never leaves the account it was minted to.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        if (_ownerOf(tokenId) != address(0) && _agents[tokenId].soulbound) revert Soulbound();
        return super._update(to, tokenId, auth);
    }

    function _isEmpty(string storage text) private view returns (bool) {
        return bytes(text).length == 0;
    }

    function _atMost(uint256 value, uint256 limit) private pure returns (uint256) {
        return value < limit ? value : limit;
    }
}
