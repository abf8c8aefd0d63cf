// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { TestToken } from "./TestToken.sol";

/// @notice Restricts like USDT0 (arbitrum, polygon, avalanche): a blocked address cannot send but can
/// receive. Any account may block and mint.
contract TestUSDT0 is TestToken {
    mapping(address account => bool) public isBlocked;

    constructor(uint8 decimals_) TestToken("USDT0", "USDT0", decimals_) { }

    function addToBlockedList(address account) external {
        isBlocked[account] = true;
    }

    function removeFromBlockedList(address account) external {
        isBlocked[account] = false;
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!isBlocked[from], "Blocked: sender is blocked");
        super._update(from, to, amount);
    }
}
