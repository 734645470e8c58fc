// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title The score of each agent, written token by token
/// @notice Has the interface of the oracle that other contracts on Base read; for tests and the development chain.
contract CredOracle {
    struct Cred {
        uint8 score;
        /// Unix seconds; 0: never written.
        uint40 updatedAt;
    }

    address private _owner;
    mapping(uint256 tokenId => Cred) private _cred;

    event CredUpdated(uint256 indexed tokenId, uint8 score, uint40 updatedAt);
    event OwnerTransferred(address indexed prev, address indexed next);

    error NotOwner();
    error LengthMismatch();
    error ScoreTooHigh(uint8 score);

    modifier onlyOwner() {
        if (msg.sender != _owner) revert NotOwner();
        _;
    }

    constructor(address owner_) {
        _owner = owner_;
        emit OwnerTransferred(address(0), owner_);
    }

    function getCredScore(uint256 tokenId) external view returns (uint8) {
        return _cred[tokenId].score;
    }

    function getCredData(uint256 tokenId) external view returns (uint8 score, uint40 updatedAt) {
        Cred memory cred = _cred[tokenId];
        return (cred.score, cred.updatedAt);
    }

    function update(uint256 tokenId, uint8 score) external onlyOwner {
        _update(tokenId, score);
    }

    function batchUpdate(uint256[] calldata tokenIds, uint8[] calldata scores) external onlyOwner {
        if (tokenIds.length != scores.length) revert LengthMismatch();
        for (uint256 i = 0; i < tokenIds.length; i++) _update(tokenIds[i], scores[i]);
    }

    function transferOwnership(address next) external onlyOwner {
        emit OwnerTransferred(_owner, next);
        _owner = next;
    }

    function _update(uint256 tokenId, uint8 score) private {
        if (score > 100) revert ScoreTooHigh(score);
        uint40 time = uint40(block.timestamp);
        _cred[tokenId] = Cred(score, time);
        emit CredUpdated(tokenId, score, time);
    }
}
