// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title Receipts of handshakes between agents
/// @notice The service, as owner, records that two identity tokens completed a handshake. A pair can do so once, in
///   either direction.
contract HandshakeRegistry is Ownable {
    /// @notice The identity token whose ids the handshakes name.
    address public immutable identity;
    uint256 public totalHandshakes;
    /// @notice Handshakes a token took part in, on either side.
    mapping(uint256 tokenId => uint256) public handshakeCount;
    /// @notice Whether the pair with this key (keccak256 of the smaller id, then the larger) has shaken hands.
    mapping(bytes32 pair => bool) public connected;

    event HandshakeCompleted(uint256 indexed fromTokenId, uint256 indexed toTokenId, uint256 timestamp);

    constructor(address identity_) Ownable(msg.sender) {
        identity = identity_;
    }

    function recordHandshake(uint256 fromTokenId, uint256 toTokenId) external onlyOwner {
        require(fromTokenId != toTokenId, "Cannot handshake self");
        bytes32 pair = _pair(fromTokenId, toTokenId);
        require(!connected[pair], "Already connected");
        connected[pair] = true;
        handshakeCount[fromTokenId]++;
        handshakeCount[toTokenId]++;
        totalHandshakes++;
        emit HandshakeCompleted(fromTokenId, toTokenId, block.timestamp);
    }

    function isConnected(uint256 a, uint256 b) external view returns (bool) {
        return connected[_pair(a, b)];
    }

    function _pair(uint256 a, uint256 b) private pure returns (bytes32) {
        return a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
    }
}
