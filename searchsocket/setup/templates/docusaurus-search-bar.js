// $written
import React from 'react';
import '../components.mjs';
import '../search.css';

export default function SearchBar() {
  return <searchsocket-dialog $attribute></searchsocket-dialog>;
}
