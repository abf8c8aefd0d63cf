// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A TRC-20 that always returns false, as USDT does on success. It does not pay rejected accounts,
/// and burns all of its energy for configured ones. Any account may mint and configure it.
contract TestTronToken {
    mapping(address account => uint256) public balanceOf;
    mapping(address account => bool) public isRefused;
    mapping(address account => bool) public isBurning;

    event Transfer(address indexed from, address indexed to, uint256 value);

    /// @param amount in atomic units
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

    /// @return always false
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
