// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title ERC-8004 identity registry of the development chain
/// @notice Speaks the interface of the canonical registry, version 2.0.0: same events in the same order, same reverts.
///   Like it, it runs behind an upgradeable proxy.
/// @dev The constructors of the base contracts run for the implementation only, so whatever they would store is either
///   overridden here (name, symbol), set by `initialize` (owner) or immutable (EIP-712 domain).
contract Erc8004IdentityRegistry is ERC721URIStorage, EIP712, Ownable, Initializable, UUPSUpgradeable {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    bytes32 private constant AGENT_WALLET_SET_TYPEHASH =
        keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)");
    /// @dev The wallet an agent acts with is kept as metadata under this key, which only the wallet functions write.
    string private constant AGENT_WALLET_KEY = "agentWallet";
    /// @dev A wallet's consent is meant to be used at once.
    uint256 private constant MAX_DEADLINE_DELAY = 5 minutes;

    uint256 private _nextAgentId;
    mapping(uint256 agentId => mapping(string key => bytes)) private _metadata;

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event MetadataSet(
        uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue
    );
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    constructor() ERC721("", "") EIP712("ERC8004IdentityRegistry", "1") Ownable(msg.sender) {
        _disableInitializers();
    }

    /// @notice Called once, by the proxy's constructor.
    function initialize(address owner_) external initializer {
        _transferOwnership(owner_);
    }

    modifier onlyAuthorized(uint256 agentId) {
        require(isAuthorizedOrOwner(msg.sender, agentId), "Not authorized");
        _;
    }

    function name() public pure override returns (string memory) {
        return "AgentIdentity";
    }

    function symbol() public pure override returns (string memory) {
        return "AGENT";
    }

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    // ---------------------------------------------------------------- registration

    /// @dev Order of logs of the three: Transfer, MetadataUpdate (not without a URI argument), Registered,
    ///   MetadataSet("agentWallet"), then one MetadataSet for each entry.
    function register() external returns (uint256 agentId) {
        agentId = _mintNext();
        _announce(agentId, "");
    }

    function register(string memory agentURI) public returns (uint256 agentId) {
        agentId = _mintNext();
        _setTokenURI(agentId, agentURI);
        _announce(agentId, agentURI);
    }

    function register(string memory agentURI, MetadataEntry[] memory metadata) external returns (uint256 agentId) {
        agentId = register(agentURI);
        for (uint256 i; i < metadata.length; ++i) {
            _setOpenMetadata(agentId, metadata[i].metadataKey, metadata[i].metadataValue);
        }
    }

    function _mintNext() private returns (uint256 agentId) {
        agentId = _nextAgentId++;
        _metadata[agentId][AGENT_WALLET_KEY] = abi.encodePacked(msg.sender);
        _safeMint(msg.sender, agentId);
    }

    function _announce(uint256 agentId, string memory agentURI) private {
        emit Registered(agentId, agentURI, msg.sender);
        emit MetadataSet(agentId, AGENT_WALLET_KEY, AGENT_WALLET_KEY, abi.encodePacked(msg.sender));
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external onlyAuthorized(agentId) {
        _setTokenURI(agentId, newURI);
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    // ---------------------------------------------------------------- metadata

    function setMetadata(uint256 agentId, string memory metadataKey, bytes memory metadataValue)
        external
        onlyAuthorized(agentId)
    {
        _setOpenMetadata(agentId, metadataKey, metadataValue);
    }

    function getMetadata(uint256 agentId, string memory metadataKey) external view returns (bytes memory) {
        return _metadata[agentId][metadataKey];
    }

    /// @dev For keys anyone authorized may write.
    function _setOpenMetadata(uint256 agentId, string memory key, bytes memory value) private {
        require(keccak256(bytes(key)) != keccak256(bytes(AGENT_WALLET_KEY)), "reserved key");
        _setMetadata(agentId, key, value);
    }

    function _setMetadata(uint256 agentId, string memory key, bytes memory value) private {
        _metadata[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }

    // ---------------------------------------------------------------- agent wallet

    /// @notice Names another wallet as the agent's, with that wallet's consent.
    /// @param deadline Unix seconds, at most five minutes ahead.
    /// @param signature EIP-712 AgentWalletSet by `newWallet`: of its key, or accepted by it as a contract (ERC-1271).
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature)
        external
        onlyAuthorized(agentId)
    {
        require(newWallet != address(0), "bad wallet");
        require(block.timestamp <= deadline, "expired");
        require(deadline <= block.timestamp + MAX_DEADLINE_DELAY, "deadline too far");
        bytes32 structHash =
            keccak256(abi.encode(AGENT_WALLET_SET_TYPEHASH, agentId, newWallet, ownerOf(agentId), deadline));
        require(_consents(newWallet, _hashTypedDataV4(structHash), signature), "invalid wallet sig");
        _setMetadata(agentId, AGENT_WALLET_KEY, abi.encodePacked(newWallet));
    }

    function unsetAgentWallet(uint256 agentId) external onlyAuthorized(agentId) {
        _setMetadata(agentId, AGENT_WALLET_KEY, "");
    }

    /// @return The agent's wallet; zero when unset.
    function getAgentWallet(uint256 agentId) external view returns (address) {
        return address(bytes20(_metadata[agentId][AGENT_WALLET_KEY]));
    }

    /// @dev The key is tried first, because an account with delegated code (EIP-7702) signs with its key as well.
    function _consents(address wallet, bytes32 digest, bytes calldata signature) private view returns (bool) {
        (address recovered, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && recovered == wallet) return true;
        (bool answered, bytes memory answer) =
            wallet.staticcall(abi.encodeCall(IERC1271.isValidSignature, (digest, signature)));
        return answered && answer.length >= 32
            && bytes32(answer) == bytes32(IERC1271.isValidSignature.selector);
    }

    // ---------------------------------------------------------------- token

    /// @notice Whether an account may act for the agent: its owner, an operator, or approved for this token.
    /// @dev Reverts with ERC721NonexistentToken for an agent that does not exist.
    function isAuthorizedOrOwner(address spender, uint256 agentId) public view returns (bool) {
        return _isAuthorized(ownerOf(agentId), spender, agentId);
    }

    /// @dev A new owner does not inherit the wallet. The log of the cleared wallet comes before Transfer.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        if (_ownerOf(tokenId) != address(0)) _setMetadata(tokenId, AGENT_WALLET_KEY, "");
        return super._update(to, tokenId, auth);
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}
