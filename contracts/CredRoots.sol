// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

/// @title Merkle roots of all cred scores, one for each epoch
/// @notice The publisher adds an epoch about once an hour. An epoch never changes and stays for all time. A leaf is
///   (uint256 chainId, address registry, uint256 tokenId, uint8 score, uint8 tier, uint64 computedAt, uint64 block) in
///   the layout of OpenZeppelin's StandardMerkleTree, so that its MerkleProof verifies a proof.
contract CredRoots is Ownable2Step, Pausable {
    struct Epoch {
        bytes32 root;
        /// Time of the block that published it, Unix seconds.
        uint64 publishedAt;
        /// Time of the block that published the next one; 0 for the latest.
        uint64 supersededAt;
        uint64 leaves;
        /// The block up to which the scores include the chain.
        uint64 block_;
    }

    /// @notice Max distance between two epochs: a stolen publisher key cannot use up the numbers.
    uint64 public constant MAX_STEP = 1_000_000;

    /// @notice The newest epoch; 0 before the first.
    uint64 public latest;
    /// @notice The account that publishes while the contract is not paused.
    address public publisher;
    mapping(uint64 epoch => Epoch) private _epochs;

    event RootPublished(uint64 indexed epoch, bytes32 root, uint64 leaves, uint64 block_);
    event PublisherChanged(address indexed previous, address indexed next);

    error NotPublisher(address account);
    /// The epoch has another root.
    error EpochTaken(uint64 epoch);
    /// The epoch is not after the latest one, or further than MAX_STEP after it.
    error EpochOutOfOrder(uint64 epoch, uint64 latest);
    error EmptyRoot();

    constructor(address owner_, address publisher_) Ownable(owner_) {
        _setPublisher(publisher_);
    }

    /// @notice Adds an epoch. The same epoch with the same root again changes nothing.
    /// @dev The owner may publish while the contract is paused: so it replaces a wrong root before readers go on.
    function publish(uint64 epoch, bytes32 root, uint64 leaves, uint64 block_) external {
        if (msg.sender != owner()) {
            if (msg.sender != publisher) revert NotPublisher(msg.sender);
            _requireNotPaused();
        }
        if (root == 0) revert EmptyRoot();
        uint64 last = latest;
        if (epoch <= last || epoch - last > MAX_STEP) {
            bytes32 there = _epochs[epoch].root;
            if (there == root) return;
            if (there != 0) revert EpochTaken(epoch);
            revert EpochOutOfOrder(epoch, last);
        }
        uint64 time = uint64(block.timestamp);
        if (last != 0) _epochs[last].supersededAt = time;
        _epochs[epoch] = Epoch(root, time, 0, leaves, block_);
        latest = epoch;
        emit RootPublished(epoch, root, leaves, block_);
    }

    /// @notice The root of an epoch; 0 where it was never published.
    function rootOf(uint64 epoch) external view returns (bytes32) {
        return _epochs[epoch].root;
    }

    /// @notice When an epoch was published, Unix seconds; 0 where it never was.
    function publishedAt(uint64 epoch) external view returns (uint64) {
        return _epochs[epoch].publishedAt;
    }

    /// @notice When a later epoch took its place, Unix seconds; 0 for the latest.
    function supersededAt(uint64 epoch) external view returns (uint64) {
        return _epochs[epoch].supersededAt;
    }

    /// @notice All that is stored about an epoch.
    function epochOf(uint64 epoch) external view returns (Epoch memory) {
        return _epochs[epoch];
    }

    /// @notice Gives the right to publish to another account; the zero address takes it away.
    function setPublisher(address next) external onlyOwner {
        _setPublisher(next);
    }

    /// @notice Stops the publisher, and CredProofs in every contract that uses it.
    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function _setPublisher(address next) private {
        emit PublisherChanged(publisher, next);
        publisher = next;
    }
}
