// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {
    AttestationRequest,
    IEAS,
    RevocationRequest
} from "@ethereum-attestation-service/eas-contracts/contracts/IEAS.sol";

/// @title The exchange's attester
/// @notice The contract whose address appears as attester on the exchange's attestations; one account directs it.
contract ExchangeAttester {
    IEAS public immutable eas;
    address public immutable controller;

    error NotController();

    constructor(IEAS eas_, address controller_) {
        eas = eas_;
        controller = controller_;
    }

    modifier onlyController() {
        if (msg.sender != controller) revert NotController();
        _;
    }

    function attest(AttestationRequest calldata request) external payable onlyController returns (bytes32 uid) {
        return eas.attest{value: msg.value}(request);
    }

    function revoke(RevocationRequest calldata request) external payable onlyController {
        eas.revoke{value: msg.value}(request);
    }
}
