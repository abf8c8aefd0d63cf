// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A TRC-20 whose `transfer` always returns false, as USDT's does on success. A transfer to an account
/// set by `refuse` moves nothing. A transfer to an account set by `burnFor` consumes all energy of the call. Any
/// account may mint and call both functions.
contract TestTronToken {
    mapping(address account => uint256) public balanceOf;
    mapping(address account => bool) public isRefused;
    mapping(address account => bool) public isBurning;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function refuse(address account, bool isRefused_) external {
        isRefused[account] = isRefused_;
    }

    function burnFor(address account) external {
        isBurning[account] = true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        if (isRefused[to]) return false;
        if (isBurning[to]) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return false;
    }
}
