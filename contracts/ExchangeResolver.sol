// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {Attestation, IEAS} from "@ethereum-attestation-service/eas-contracts/contracts/IEAS.sol";
import {SchemaResolver} from "@ethereum-attestation-service/eas-contracts/contracts/resolver/SchemaResolver.sol";
import {AttestationIndexer} from "./AttestationIndexer.sol";

/// @title Gate of the exchange's schemas
/// @notice EAS asks it about every attestation under the exchange's schemas: only the exchange's own attesters pass,
///   and what passes is indexed in the same transaction.
contract ExchangeResolver is SchemaResolver {
    AttestationIndexer public immutable indexer;
    mapping(address attester => bool) public isAttester;

    constructor(IEAS eas, AttestationIndexer indexer_, address[] memory attesters) SchemaResolver(eas) {
        indexer = indexer_;
        for (uint256 i; i < attesters.length; ++i) isAttester[attesters[i]] = true;
    }

    function onAttest(Attestation calldata attestation, uint256) internal override returns (bool) {
        if (!isAttester[attestation.attester]) return false;
        indexer.index(attestation.uid);
        return true;
    }

    /// @dev EAS itself lets only the attester revoke.
    function onRevoke(Attestation calldata, uint256) internal pure override returns (bool) {
        return true;
    }
}
