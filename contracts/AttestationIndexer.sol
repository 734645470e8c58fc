// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Attestation, IEAS} from "@ethereum-attestation-service/eas-contracts/contracts/IEAS.sol";

/// @title Finds the attestation of a wallet under a schema
/// @notice Speaks the interface of the exchange's indexer on Base. It keeps the attestation indexed last; a revocation
///   does not clear it, so readers must look the attestation up and judge it themselves.
contract AttestationIndexer {
    IEAS public immutable eas;
    mapping(address recipient => mapping(bytes32 schema => bytes32)) private _lastUid;
    mapping(bytes32 uid => bool) private _indexed;

    event AttestationIndexed(
        address indexer, address indexed recipient, bytes32 indexed schema, bytes32 indexed uid
    );

    error AttestationNotFound();
    error AttestationAlreadyIndexed();

    constructor(IEAS eas_) {
        eas = eas_;
    }

    /// @notice Indexes an existing attestation. Anyone may, each attestation once, so that an older one cannot be
    ///   brought back over a newer one.
    function index(bytes32 uid) external {
        Attestation memory attestation = eas.getAttestation(uid);
        if (attestation.uid == 0) revert AttestationNotFound();
        if (_indexed[uid]) revert AttestationAlreadyIndexed();
        _indexed[uid] = true;
        _lastUid[attestation.recipient][attestation.schema] = uid;
        emit AttestationIndexed(msg.sender, attestation.recipient, attestation.schema, uid);
    }

    /// @return The uid indexed last for the wallet and schema; zero when there is none.
    function getAttestationUid(address recipient, bytes32 schemaUid) external view returns (bytes32) {
        return _lastUid[recipient][schemaUid];
    }
}
