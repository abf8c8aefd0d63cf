// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Authorizations } from "./Authorizations.sol";
import { TestToken } from "./TestToken.sol";

/// @notice Restricts like Circle's USDC: a blacklisted address can neither send nor receive, and a pause
/// stops all transfers. Executes authorizations like USDC. Any account may blacklist, pause and mint.
contract TestUSDC is TestToken, Authorizations {
    bool public paused;
    mapping(address account => bool) public isBlacklisted;

    constructor(uint8 decimals_) TestToken("USD Coin", "USDC", decimals_) { }

    function blacklist(address account) external {
        isBlacklisted[account] = true;
    }

    function unBlacklist(address account) external {
        isBlacklisted[account] = false;
    }

    function pause() external {
        paused = true;
    }

    function unpause() external {
        paused = false;
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!paused, "Pausable: paused");
        require(!isBlacklisted[from] && !isBlacklisted[to], "Blacklistable: account is blacklisted");
        super._update(from, to, amount);
    }

    function _signingName() internal view override returns (string memory) {
        return name();
    }

    function _carryOut(address from, address to, uint256 value) internal override {
        _transfer(from, to, value);
    }
}
