// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// @dev What the reputation registry asks the identity registry.
interface IIdentityRegistry {
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool);
}

/// @title ERC-8004 reputation registry of the development chain
/// @notice Speaks the interface of the canonical registry, version 2.0.0. Anyone but the agent's own side may give
///   feedback; the giver may revoke it; anyone may respond. Endpoint, URI and hash exist in the event only.
/// @dev Runs behind an upgradeable proxy like the canonical one. Feedback is counted from 1 for each agent and client.
contract Erc8004ReputationRegistry is Ownable, Initializable, UUPSUpgradeable {
    struct Feedback {
        int128 value;
        uint8 valueDecimals;
        bool isRevoked;
        string tag1;
        string tag2;
        address[] responders;
        mapping(address responder => uint64) responses;
    }

    /// @dev Where a piece of feedback is found.
    struct Position {
        address client;
        uint64 index;
    }

    int128 private constant MAX_ABS_VALUE = 1e38;
    uint8 private constant MAX_DECIMALS = 18;

    address private _identityRegistry;
    mapping(uint256 agentId => mapping(address client => mapping(uint64 index => Feedback))) private _feedback;
    mapping(uint256 agentId => mapping(address client => uint64)) private _lastIndex;
    mapping(uint256 agentId => address[]) private _clients;

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );
    event FeedbackRevoked(
        uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex
    );
    event ResponseAppended(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        address indexed responder,
        string responseURI,
        bytes32 responseHash
    );

    constructor() Ownable(msg.sender) {
        _disableInitializers();
    }

    /// @notice Called once, by the proxy's constructor.
    function initialize(address owner_, address identityRegistry_) external initializer {
        require(identityRegistry_ != address(0), "bad identity");
        _transferOwnership(owner_);
        _identityRegistry = identityRegistry_;
    }

    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function getIdentityRegistry() external view returns (address) {
        return _identityRegistry;
    }

    // ---------------------------------------------------------------- writing

    /// @param value Fixed-point number with `valueDecimals` decimals (at most 18), within ±1e38.
    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string calldata tag1,
        string calldata tag2,
        string calldata endpoint,
        string calldata feedbackURI,
        bytes32 feedbackHash
    ) external {
        require(valueDecimals <= MAX_DECIMALS, "too many decimals");
        require(value >= -MAX_ABS_VALUE && value <= MAX_ABS_VALUE, "value too large");
        require(
            !IIdentityRegistry(_identityRegistry).isAuthorizedOrOwner(msg.sender, agentId),
            "Self-feedback not allowed"
        );
        uint64 index = ++_lastIndex[agentId][msg.sender];
        if (index == 1) _clients[agentId].push(msg.sender);
        Feedback storage feedback = _feedback[agentId][msg.sender][index];
        feedback.value = value;
        feedback.valueDecimals = valueDecimals;
        feedback.tag1 = tag1;
        feedback.tag2 = tag2;
        emit NewFeedback(
            agentId,
            msg.sender,
            index,
            value,
            valueDecimals,
            tag1,
            tag1,
            tag2,
            endpoint,
            feedbackURI,
            feedbackHash
        );
    }

    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        Feedback storage feedback = _existing(agentId, msg.sender, feedbackIndex);
        require(!feedback.isRevoked, "Already revoked");
        feedback.isRevoked = true;
        emit FeedbackRevoked(agentId, msg.sender, feedbackIndex);
    }

    function appendResponse(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        string calldata responseURI,
        bytes32 responseHash
    ) external {
        require(feedbackIndex > 0, "index must be > 0");
        require(bytes(responseURI).length > 0, "Empty URI");
        Feedback storage feedback = _existing(agentId, clientAddress, feedbackIndex);
        if (feedback.responses[msg.sender]++ == 0) feedback.responders.push(msg.sender);
        emit ResponseAppended(agentId, clientAddress, feedbackIndex, msg.sender, responseURI, responseHash);
    }

    function _existing(uint256 agentId, address client, uint64 index) private view returns (Feedback storage) {
        require(index > 0, "index must be > 0");
        require(index <= _lastIndex[agentId][client], "index out of bounds");
        return _feedback[agentId][client][index];
    }

    // ---------------------------------------------------------------- reading

    /// @notice Every client that ever gave feedback.
    function getClients(uint256 agentId) external view returns (address[] memory) {
        return _clients[agentId];
    }

    /// @return Index of the client's latest feedback; 0 when it gave none.
    function getLastIndex(uint256 agentId, address clientAddress) external view returns (uint64) {
        return _lastIndex[agentId][clientAddress];
    }

    function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        external
        view
        returns (int128 value, uint8 valueDecimals, string memory tag1, string memory tag2, bool isRevoked)
    {
        Feedback storage feedback = _existing(agentId, clientAddress, feedbackIndex);
        return (feedback.value, feedback.valueDecimals, feedback.tag1, feedback.tag2, feedback.isRevoked);
    }

    /// @notice Mean of the clients' unrevoked feedback, in the number of decimals that occurs most (the smaller of
    ///   equals).
    /// @param clientAddresses Whose feedback counts; the caller must choose, because anyone can be a client.
    /// @param tag1 Only feedback with this tag; empty for any. Likewise `tag2`.
    function getSummary(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2
    ) external view returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals) {
        require(clientAddresses.length > 0, "clientAddresses required");
        Position[] memory found = _find(agentId, clientAddresses, tag1, tag2, false);
        if (found.length == 0) return (0, 0, 0);
        uint64[MAX_DECIMALS + 1] memory occurrences;
        int256 sum;
        for (uint256 i; i < found.length; ++i) {
            Feedback storage feedback = _feedback[agentId][found[i].client][found[i].index];
            occurrences[feedback.valueDecimals]++;
            sum += feedback.value * int256(10 ** (MAX_DECIMALS - feedback.valueDecimals));
        }
        for (uint8 decimals = 1; decimals <= MAX_DECIMALS; ++decimals) {
            if (occurrences[decimals] > occurrences[summaryValueDecimals]) summaryValueDecimals = decimals;
        }
        count = uint64(found.length);
        int256 mean = sum / int256(found.length);
        summaryValue = int128(mean / int256(10 ** (MAX_DECIMALS - summaryValueDecimals)));
    }

    /// @param clientAddresses Whose feedback to read; empty for everybody's.
    function readAllFeedback(
        uint256 agentId,
        address[] calldata clientAddresses,
        string calldata tag1,
        string calldata tag2,
        bool includeRevoked
    )
        external
        view
        returns (
            address[] memory clients,
            uint64[] memory feedbackIndexes,
            int128[] memory values,
            uint8[] memory valueDecimals,
            string[] memory tag1s,
            string[] memory tag2s,
            bool[] memory revokedStatuses
        )
    {
        address[] memory chosen = clientAddresses;
        if (chosen.length == 0) chosen = _clients[agentId];
        Position[] memory found = _find(agentId, chosen, tag1, tag2, includeRevoked);
        clients = new address[](found.length);
        feedbackIndexes = new uint64[](found.length);
        values = new int128[](found.length);
        valueDecimals = new uint8[](found.length);
        tag1s = new string[](found.length);
        tag2s = new string[](found.length);
        revokedStatuses = new bool[](found.length);
        for (uint256 i; i < found.length; ++i) {
            Feedback storage feedback = _feedback[agentId][found[i].client][found[i].index];
            clients[i] = found[i].client;
            feedbackIndexes[i] = found[i].index;
            values[i] = feedback.value;
            valueDecimals[i] = feedback.valueDecimals;
            tag1s[i] = feedback.tag1;
            tag2s[i] = feedback.tag2;
            revokedStatuses[i] = feedback.isRevoked;
        }
    }

    /// @notice Counts responses.
    /// @param clientAddress Zero for the feedback of every client.
    /// @param feedbackIndex Zero for all feedback of the client.
    /// @param responders Whose responses count; empty for everybody's.
    function getResponseCount(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        address[] calldata responders
    ) external view returns (uint64 count) {
        if (clientAddress != address(0) && feedbackIndex != 0) {
            return _countResponses(agentId, clientAddress, feedbackIndex, responders);
        }
        if (clientAddress != address(0)) return _countAllResponses(agentId, clientAddress, responders);
        address[] memory clients = _clients[agentId];
        for (uint256 i; i < clients.length; ++i) {
            count += _countAllResponses(agentId, clients[i], responders);
        }
    }

    function _countAllResponses(uint256 agentId, address client, address[] calldata responders)
        private
        view
        returns (uint64 count)
    {
        uint64 last = _lastIndex[agentId][client];
        for (uint64 index = 1; index <= last; ++index) {
            count += _countResponses(agentId, client, index, responders);
        }
    }

    function _countResponses(uint256 agentId, address client, uint64 index, address[] calldata responders)
        private
        view
        returns (uint64 count)
    {
        Feedback storage feedback = _feedback[agentId][client][index];
        address[] memory counted = responders;
        if (counted.length == 0) counted = feedback.responders;
        for (uint256 i; i < counted.length; ++i) {
            count += feedback.responses[counted[i]];
        }
    }

    /// @dev Positions of the feedback that matches, in order of clients, then of index.
    function _find(
        uint256 agentId,
        address[] memory clients,
        string calldata tag1,
        string calldata tag2,
        bool includeRevoked
    ) private view returns (Position[] memory found) {
        uint256 most;
        for (uint256 i; i < clients.length; ++i) {
            most += _lastIndex[agentId][clients[i]];
        }
        found = new Position[](most);
        uint256 count;
        for (uint256 i; i < clients.length; ++i) {
            uint64 last = _lastIndex[agentId][clients[i]];
            for (uint64 index = 1; index <= last; ++index) {
                Feedback storage feedback = _feedback[agentId][clients[i]][index];
                if (feedback.isRevoked && !includeRevoked) continue;
                if (!_tagged(feedback.tag1, tag1) || !_tagged(feedback.tag2, tag2)) continue;
                found[count++] = Position(clients[i], index);
            }
        }
        assembly ("memory-safe") {
            mstore(found, count) // the array was made for all feedback; keep the part that was filled
        }
    }

    function _tagged(string memory tag, string calldata wanted) private pure returns (bool) {
        return bytes(wanted).length == 0 || keccak256(bytes(tag)) == keccak256(bytes(wanted));
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}
