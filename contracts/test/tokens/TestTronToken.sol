// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A TRC-20 that returns false whether it pays or not, as USDT does when it pays; it does not pay whom it refuses,
/// and burns all the energy that it is given for whom it is told to. Anyone may mint and tell.
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
