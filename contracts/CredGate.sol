// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";

/// @notice What a root says about one agent.
struct CredLeaf {
    uint256 chainId;
    /// The contract of the identity token.
    address registry;
    uint256 tokenId;
    /// 0 to 100.
    uint8 score;
    /// 0 (lowest) to 4.
    uint8 tier;
    /// When the score was last computed with another result, Unix seconds.
    uint64 computedAt;
    /// The block of the agent's newest change that the score includes.
    uint64 block_;
}

/// @notice The part of CredRoots that a reader calls.
interface ICredRoots {
    struct Epoch {
        bytes32 root;
        uint64 publishedAt;
        uint64 supersededAt;
        uint64 leaves;
        uint64 block_;
    }

    function epochOf(uint64 epoch) external view returns (Epoch memory);
    function paused() external view returns (bool);
}

/// @title Verification of cred proofs
/// @notice A proof counts while its epoch is the latest one, and for `grace` seconds after a later epoch took its place.
///   So a score that fell is refused from the next epoch on, and a transaction under way at that moment still succeeds
///   where `grace` allows it. `maxAge` limits the age of the epoch itself: it matters when publishing has stopped.
/// @dev `computedAt` of a leaf is no measure of freshness: it stays the same while the score does.
library CredProofs {
    /// The contract of the roots is paused: its owner doubts the newest root.
    error RootsPaused();
    error UnknownEpoch(uint64 epoch);
    /// The epoch is older than the reader's `maxAge`.
    error EpochTooOld(uint64 epoch, uint64 publishedAt);
    /// A later epoch has been there for longer than the reader's `grace`.
    error EpochSuperseded(uint64 epoch, uint64 supersededAt);
    /// The leaf is about another chain or another identity contract.
    error ForeignLeaf(uint256 chainId, address registry);
    error InvalidProof();

    function leafHash(CredLeaf calldata leaf) internal pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(leaf))));
    }

    /// @notice Reverts unless `leaf` is what a root that is in force says about an agent of `registry` on this chain.
    /// @dev The caller compares `leaf.tokenId` with the agent in question, and `leaf.score` with its own limit.
    /// @param maxAge in seconds, longer than the publisher's heartbeat
    /// @param grace in seconds; 0: the latest epoch only
    function requireValid(
        ICredRoots roots,
        address registry,
        uint64 epoch,
        CredLeaf calldata leaf,
        bytes32[] calldata proof,
        uint64 maxAge,
        uint64 grace
    ) internal view {
        if (leaf.chainId != block.chainid || leaf.registry != registry) {
            revert ForeignLeaf(leaf.chainId, leaf.registry);
        }
        if (roots.paused()) revert RootsPaused();
        ICredRoots.Epoch memory state = roots.epochOf(epoch);
        if (state.root == 0) revert UnknownEpoch(epoch);
        if (block.timestamp - state.publishedAt > maxAge) revert EpochTooOld(epoch, state.publishedAt);
        if (state.supersededAt != 0 && block.timestamp - state.supersededAt >= grace) {
            revert EpochSuperseded(epoch, state.supersededAt);
        }
        if (!MerkleProof.verifyCalldata(proof, state.root, leafHash(leaf))) revert InvalidProof();
    }
}

/// @title Example: a door for agents with enough cred
/// @notice The owner of an agent enters with the proof of its score. Every entry is checked anew: a right that is
///   stored once would outlive the score it was given for.
contract CredGate {
    ICredRoots public immutable roots;
    /// @notice The contract of the identity tokens.
    IERC721 public immutable registry;
    uint8 public immutable minScore;
    /// @notice Seconds, see CredProofs.
    uint64 public immutable maxAge;
    uint64 public immutable grace;

    event Entered(uint256 indexed tokenId, address indexed account, uint8 score, uint64 epoch);

    error NotAgentOwner(uint256 tokenId, address account);
    error ScoreTooLow(uint8 score, uint8 minScore);

    constructor(ICredRoots roots_, IERC721 registry_, uint8 minScore_, uint64 maxAge_, uint64 grace_) {
        roots = roots_;
        registry = registry_;
        minScore = minScore_;
        maxAge = maxAge_;
        grace = grace_;
    }

    /// @notice Lets the owner of the leaf's agent in.
    function enter(uint64 epoch, CredLeaf calldata leaf, bytes32[] calldata proof) external {
        CredProofs.requireValid(roots, address(registry), epoch, leaf, proof, maxAge, grace);
        if (registry.ownerOf(leaf.tokenId) != msg.sender) revert NotAgentOwner(leaf.tokenId, msg.sender);
        if (leaf.score < minScore) revert ScoreTooLow(leaf.score, minScore);
        emit Entered(leaf.tokenId, msg.sender, leaf.score, epoch);
    }
}
