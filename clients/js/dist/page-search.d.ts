import "./components.js";
